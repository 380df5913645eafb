# The service. It needs no network but that to Neo4j: the embedding model is in the image.
#   docker build -t gear-neo4j .
#   docker compose up --wait        # with Neo4j: see docs/team.md

FROM python:3.11-slim-bookworm AS build
# The address of PyTorch's wheels for CPUs, which pytorch.org names, makes the image gigabytes smaller.
ARG TORCH_INDEX=
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/gear
ENV PATH=/opt/gear/bin:$PATH
# First, and so in a layer of its own: it is by far the largest.
RUN pip install ${TORCH_INDEX:+--index-url "$TORCH_INDEX"} 'torch>=2.11'
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY cypher ./cypher
COPY migrations ./migrations
COPY gear_neo4j ./gear_neo4j
RUN pip install '.[server,mcp,oidc,otel,office]'
# Fails here, and not in production, if the model would have to be fetched.
RUN HF_HUB_OFFLINE=1 python -c "from gear_neo4j.models.embeddings import open_embedder; \
from gear_neo4j.settings import Settings; open_embedder(Settings()).embed(['ready'])"

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --create-home --home-dir /var/lib/gear --shell /usr/sbin/nologin gear \
    && chmod 700 /var/lib/gear
COPY --from=build /opt/gear /opt/gear
ENV PATH=/opt/gear/bin:$PATH \
    GEAR_HOME=/var/lib/gear \
    GEAR_SERVE_HOST=0.0.0.0 \
    HF_HUB_OFFLINE=1 \
    ORT_DISABLE_TELEMETRY=1 \
    PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
# Keys, calibrations and the cache of replies.
VOLUME ["/var/lib/gear"]
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8765/healthz', timeout=4)"]
ENTRYPOINT ["gear"]
CMD ["serve"]
