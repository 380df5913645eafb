"""A data set of two passages for tests of the command line, and the check of an error of one line."""

from gear_neo4j.errors import ExitCode

CORPUS = [
    {"id": "p1", "title": "Prize", "text": "The 2024 physics prize went to Geoffrey Hinton."},
    {"id": "p2", "title": "Thesis", "text": "Geoffrey Hinton wrote a thesis at Edinburgh."},
]
TRIPLES = [
    {"id": "p1", "triples": [["2024 physics prize", "went to", "Geoffrey Hinton"]]},
    {"id": "p2", "triples": [["Geoffrey Hinton", "wrote a thesis at", "Edinburgh"]]},
]
QUERIES = [{"id": "q1", "question": "Where did the 2024 physics laureate write a thesis?", "gold": ["p1", "p2"]}]


def one_line(result, *words, exit_code=ExitCode.ERROR):
    """Whether a command ended with that exit code and one line on standard error that contains the words."""
    code, out, err = result
    lines = [line for line in err.splitlines() if line.startswith("gear: ")]
    return (
        code == exit_code
        and not out
        and len(lines) == 1
        and "Traceback" not in err
        and all(word in lines[0] for word in words)
    )
