"""Whether a graph is of a library that a built-in profile knows: by its labels, their properties and its mentions."""

from gear_neo4j.adoption.profile import Profile, built_in, load
from gear_neo4j.adoption.survey import Survey

SHORTEST_TEXT = 40


def recognised(found: Survey) -> Profile | None:
    """The built-in profile that fits a graph; of several, the one that knows most of its labels and types.

    It fits where the chunks have long texts, where the first label of its entities is named as it says, where chunks
    mention such entities, where a type that it calls a fact exists, and where it speaks of most nodes; one of passages
    alone must speak of all.
    """
    fitting = [profile for profile in map(load, built_in().values()) if _fits(found, profile)]
    return max(fitting, key=lambda profile: _known(found, profile), default=None)


def _fits(found: Survey, profile: Profile) -> bool:
    main = next(iter(profile.entities), None)
    return (
        all(_filled(found, label, one.text[0], longer=SHORTEST_TEXT) for label, one in profile.chunks.items())
        and (main is None or _filled(found, main, profile.entities[main].names[0]))
        and (main is None or all(_mentioned(found, profile, chunk, main) for chunk in profile.chunks))
        and (not profile.relationships or not profile.relationships.keys().isdisjoint(found.types))
        and _covers(found, profile)
    )


def _filled(found: Survey, label: str, name: str, *, longer: float = 0) -> bool:
    """Whether most nodes of a label have a text of that name, and these are long enough."""
    seen = found.labels.get(label)
    one = seen.properties.get(name) if seen else None
    return bool(seen and one and one.is_text and one.length > longer and 2 * one.nodes >= seen.sampled)


def _mentioned(found: Survey, profile: Profile, chunk: str, entity: str) -> bool:
    kinds = [found.types[name] for name in profile.chunks[chunk].mentions if name in found.types]
    return any(
        (chunk in kind.starts and entity in kind.ends) or (entity in kind.starts and chunk in kind.ends)
        for kind in kinds
    )


def _covers(found: Survey, profile: Profile) -> bool:
    told = sum(found.labels[label].nodes for label in _labels(profile) if label in found.labels)
    return told >= found.nodes if not profile.entities else 2 * told >= found.nodes


def _known(found: Survey, profile: Profile) -> int:
    types = {
        *profile.relationships,
        *profile.without,
        *(one for each in profile.chunks.values() for one in each.mentions),
    }
    return len(_labels(profile) & found.labels.keys()) + len(types & found.types.keys())


def _labels(profile: Profile) -> set[str]:
    return {*profile.entities, *profile.chunks}
