"""One way from untrusted JSON to a model, with errors that name the place."""

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from memory.errors import ValidationFailed
from memory.policies.text import SURROGATE, whole_number

PLACES_MAX, PLACE_MAX_CHARS = 20, 200
WHOLE = "body"
"""The place of what is wrong with a body as a whole. Only lines of files have rules over their
parts that name no place of their own; there is no body to speak of there."""
MESSAGES = {
    "extra_forbidden": "is not a key of this body, or is set by the server; leave it out",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "too_short": "is too short: it holds {min_length} at the least",
    "too_long": "is too long: it holds {max_length} at the most",
}
"""Instead of what pydantic says in words of this program: its classes, its checks."""


def place_of(location: tuple[int | str, ...]) -> str:
    """Return `links[1].target_memory_id` for ('links', 1, 'target_memory_id')."""
    path = ""
    for step in location:
        if isinstance(step, int):
            path += f"[{step}]"
        else:
            path += f".{step}" if path else step
    # A place may be a key of the caller's, of any length.
    return SURROGATE.sub("\ufffd", path[:PLACE_MAX_CHARS]).replace("\x00", "\ufffd")


class Body(BaseModel):
    """A request body: unknown keys are refused, and nothing is converted in silence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def parse(cls, data: Any, *, context: object = None) -> Self:
        """Return the validated body (ValidationFailed: with every place that is wrong)."""
        if not isinstance(data, dict):
            raise ValidationFailed({WHOLE: ["must be a JSON object"]})
        try:
            return cls.model_validate(data, context=context)
        except ValidationError as error:
            raise ValidationFailed(_by_place(error)) from None


class Parameters(Protocol):
    """Query parameters, each with all the values it was given."""

    def lists(self) -> Iterable[tuple[str, list[str]]]:
        """Return (name, values) pairs."""
        ...


def parameters_of(query: Parameters) -> dict[str, str]:
    """Return query parameters as a body (ValidationFailed: one is given more than once)."""
    repeated = {name for name, values in query.lists() if len(values) > 1}
    if repeated:
        raise ValidationFailed({name: ["is given more than once"] for name in sorted(repeated)})
    return {name: values[0] for name, values in query.lists()}


def read[Asked: Body](
    schema: type[Asked],
    query: Parameters,
    *,
    elsewhere: Iterable[str] = (),
    given: Mapping[str, str] | None = None,
    context: object = None,
) -> Asked:
    """Return query parameters as `schema` has them (ValidationFailed: with what there is to ask).

    `elsewhere` are parameters of the route that others read; `given` holds what counts where the
    query does not name it.
    """
    parameters = parameters_of(query)
    refuse_unknown(parameters, schema=schema, elsewhere=elsewhere, of="route")
    fields = names_of(schema)
    asked = {name: value for name, value in parameters.items() if name in fields}
    return schema.parse({**(given or {}), **asked}, context=context)


def names_of(schema: type[BaseModel]) -> set[str]:
    """Return the names by which a schema takes its values."""
    return {field.alias or name for name, field in schema.model_fields.items()}


def refuse_unknown(
    asked: Iterable[str], *, schema: type[BaseModel], elsewhere: Iterable[str] = (), of: str
) -> None:
    """Refuse parameters that a schema has not, with those that there are (ValidationFailed)."""
    known = sorted(names_of(schema) | set(elsewhere))
    takes = f"it takes: {', '.join(known)}" if known else "it takes none"
    unknown = [name for name in asked if name not in known]
    if unknown:
        raise ValidationFailed(
            {
                place_of((name,)): [f"is no parameter of this {of}; {takes}"]
                for name in unknown[:PLACES_MAX]
            }
        )


def as_written(value: Any) -> Any:
    """Read a query parameter's whole number; a number stays what it is."""
    if not isinstance(value, str):
        return value
    number = whole_number(value)
    if number is None:
        raise ValueError("must be a whole number")
    return number


def message_of(problem: ErrorDetails) -> str:
    """Return what is wrong, in words for whoever sent it."""
    said = MESSAGES.get(problem["type"])
    if said is None:
        return problem["msg"].removeprefix("Value error, ")
    return said.format_map(problem.get("ctx", {}))


def _by_place(error: ValidationError) -> dict[str, list[str]]:
    places: dict[str, list[str]] = {}
    problems = error.errors(include_url=False, include_input=False)
    for problem in problems[:PLACES_MAX]:
        places.setdefault(place_of(problem["loc"]), []).append(message_of(problem))
    if len(problems) > PLACES_MAX:
        places.setdefault(WHOLE, []).append(f"and {len(problems) - PLACES_MAX} more problems")
    return places
