"""The JSON Schema of recipes, for editors."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from sfumato.attacks.plan import AttackPlan
from sfumato.microfile.hierarchy import Hierarchy
from sfumato.recipe import PROTECTIONS, Sheet
from sfumato.settings import Settings, listed


class _Written(GenerateJsonSchema):
    """Describes settings as they are written in a recipe."""

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        if schema["cls"] is Hierarchy:
            return {"type": "string", "description": "A CSV file in ARX's form, as seen from the recipe's folder."}
        return super().dataclass_schema(schema)

    def function_before_schema(self, schema: core_schema.BeforeValidatorFunctionSchema) -> JsonSchemaValue:
        inner = super().function_before_schema(schema)
        return {"anyOf": [{"type": "string"}, inner]} if schema["function"]["function"] is listed else inner


def recipe_schema() -> dict[str, Any]:
    """Return the JSON Schema of recipes, for editors; it is shipped as ``recipe.schema.json``."""
    models: list[Any] = [(model, "validation") for model in (Sheet, *dict.fromkeys(PROTECTIONS.values()), AttackPlan)]
    _, made = models_json_schema(models, schema_generator=_Written)
    known = made["$defs"]
    sheet, group = known.pop("Sheet"), known.pop("Group")
    methods: dict[type[Settings], list[str]] = {}
    for method, protection in PROTECTIONS.items():
        methods.setdefault(protection, []).append(method)
    tables: list[type[Settings]] = [*methods, AttackPlan]
    for model in tables:
        entry = known[model.__name__]
        entry["description"] = entry["description"].partition("\n")[0]
        required = [name for name in entry.get("required", ()) if name != "group"]
        if entry["properties"].pop("group", None):
            # the settings of a group stand among those of its mask; an attack takes them over from there
            entry["properties"] |= group["properties"]
            required += group["required"] if model in methods else ()
        if model in methods:
            entry["properties"] |= {"method": {"enum": methods[model]}}
            required = ["method", *required]
        entry["required"] = required
    refs = [{"$ref": f"#/$defs/{model.__name__}"} for model in methods]
    sheet["properties"]["protect"]["items"] = {"anyOf": refs}
    sheet["properties"]["attack"] = {
        "$ref": "#/$defs/AttackPlan",
        "description": sheet["properties"]["attack"]["description"],
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **sheet,
        "title": "sfumato recipe",
        "$defs": known,
    }
