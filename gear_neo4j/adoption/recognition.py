"""Recognises graphs of libraries with a built-in profile, by labels, properties and mentions."""

from gear_neo4j.adoption.profile import Profile
from gear_neo4j.adoption.profile_file import built_in, load
from gear_neo4j.adoption.survey import Survey

SHORTEST_TEXT = 40


def recognise(survey: Survey) -> Profile | None:
    """The built-in profile that fits a graph; of several, the one that covers the most labels and types.

    A profile fits if the chunks have long texts, the first entity label has the name property, chunks mention such
    entities, one of its fact types exists, and it covers most nodes; a profile without entities must cover all nodes.
    """
    fitting = [profile for profile in map(load, built_in().values()) if _fits(survey, profile)]
    return max(fitting, key=lambda profile: _known(survey, profile), default=None)


def _fits(survey: Survey, profile: Profile) -> bool:
    main = next(iter(profile.entities), None)
    return (
        all(_filled(survey, label, chunk.text[0], longer=SHORTEST_TEXT) for label, chunk in profile.chunks.items())
        and (main is None or _filled(survey, main, profile.entities[main].names[0]))
        and (main is None or all(_mentioned(survey, profile, chunk, main) for chunk in profile.chunks))
        and (not profile.relationships or not profile.relationships.keys().isdisjoint(survey.types))
        and _covers(survey, profile)
    )


def _filled(survey: Survey, label: str, name: str, *, longer: float = 0) -> bool:
    """Whether most nodes of a label have a text in a property, and these texts are long enough."""
    sample = survey.labels.get(label)
    values = sample.properties.get(name) if sample else None
    return bool(sample and values and values.is_text and values.length > longer and 2 * values.nodes >= sample.sampled)


def _mentioned(survey: Survey, profile: Profile, chunk: str, entity: str) -> bool:
    kinds = [survey.types[name] for name in profile.chunks[chunk].mentions if name in survey.types]
    return any(
        (chunk in kind.starts and entity in kind.ends) or (entity in kind.starts and chunk in kind.ends)
        for kind in kinds
    )


def _covers(survey: Survey, profile: Profile) -> bool:
    covered = sum(survey.labels[label].nodes for label in _labels(profile) if label in survey.labels)
    return covered >= survey.nodes if not profile.entities else 2 * covered >= survey.nodes


def _known(survey: Survey, profile: Profile) -> int:
    types = {
        *profile.relationships,
        *profile.without,
        *(kind for chunk in profile.chunks.values() for kind in chunk.mentions),
    }
    return len(_labels(profile) & survey.labels.keys()) + len(types & survey.types.keys())


def _labels(profile: Profile) -> set[str]:
    return {*profile.entities, *profile.chunks}
