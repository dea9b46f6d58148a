"""
What the output of a row is, as a JSON Schema: given as one, as a class with `model_json_schema` (Pydantic), or in the shorthand of
the command line, where a line break separates fields as well as a comma does:

    industry, confidence number                      two fields, the first a string
    audience: children|everyone|adults               one of these
    tags string[], score int?: from 0 to 10          a list; an integer or null, with a description
"""

from __future__ import annotations

import re
from typing import Any, Dict, Mapping

JsonSchema = Dict[str, Any]

_TYPES: Dict[str, JsonSchema] = {
    **{name: {"type": "string"} for name in ("string", "str", "text")},
    **{name: {"type": "number"} for name in ("number", "float", "decimal")},
    **{name: {"type": "integer"} for name in ("integer", "int")},
    **{name: {"type": "boolean"} for name in ("boolean", "bool")},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
}
_FIELD = re.compile(r"([^\W\d][\w-]*)(\?)?(?=[\s:]|$)\s*([^:]*?)\s*(?::\s*(.*))?", re.DOTALL)


def schema_of(given: Any) -> JsonSchema:
    if isinstance(given, str):
        return parse_shorthand(given)
    if hasattr(given, "model_json_schema"):
        made = given.model_json_schema()
        return dict(made)
    if isinstance(given, Mapping):
        return dict(given)
    raise TypeError("schema is a JSON Schema, a text such as 'industry, confidence number', or a Pydantic model")


def parse_shorthand(text: str) -> JsonSchema:
    properties: Dict[str, JsonSchema] = {}
    for part in re.split(r"[\r\n]+" if re.search(r"[\r\n]", text.strip()) else ",", text):
        if part.strip() == "":
            continue
        name, schema = _field(part.strip())
        if name in properties:
            raise ValueError(f'schema: the field "{name}" stands there twice')
        properties[name] = schema
    if not properties:
        raise ValueError("schema: there is no field")
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _field(text: str) -> "tuple[str, JsonSchema]":
    match = _FIELD.fullmatch(text)
    if match is None:
        raise ValueError(
            f'schema: "{text}" is not a field: write a name, perhaps a type, and perhaps ": " and a description'
        )
    name, optional, type_text, said = match[1], match[2], match[3], match[4] or ""
    is_nullable = optional is not None or type_text.endswith("?")
    kind = re.sub(r"\?$", "", type_text).strip()
    # Behind the colon stands a description, or the values where no type says what they are.
    is_enum = kind == "" and "|" in said
    base = _enum_of(name, said) if is_enum else _type_of(name, kind)
    described = base if is_enum or said == "" else {**base, "description": said}
    return name, _nullable(described) if is_nullable else described


def _type_of(name: str, text: str) -> JsonSchema:
    if text == "":
        return {"type": "string"}
    if text.endswith("[]"):
        return {"type": "array", "items": _type_of(name, _without_parentheses(text[:-2].strip()))}
    if "|" in text:
        return _enum_of(name, _without_parentheses(text))
    if text.lower() not in _TYPES:
        raise ValueError(f'schema: "{text}" is not a type of "{name}": use {", ".join(_TYPES)}, or a|b|c')
    return dict(_TYPES[text.lower()])


def _enum_of(name: str, text: str) -> JsonSchema:
    values = [value.strip() for value in text.split("|")]
    if "" in values:
        raise ValueError(f'schema: a value of "{name}" is empty')
    if len(set(values)) != len(values):
        raise ValueError(f'schema: a value of "{name}" stands there twice')
    return {"type": "string", "enum": values}


def _nullable(schema: JsonSchema) -> JsonSchema:
    values = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **values}


def _without_parentheses(text: str) -> str:
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text
