"""The JSON Schema of recipes, for editors."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

from sfumato.attacks import AttackPlan
from sfumato.microfile import Hierarchy
from sfumato.protection_registry import settings_classes
from sfumato.recipe import RecipeTables
from sfumato.settings import Settings, listed


class _RecipeSchema(GenerateJsonSchema):
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
    methods: dict[type[Settings], list[str]] = {}
    for method, settings_class in settings_classes():
        methods.setdefault(settings_class, []).append(method.name)
    models: list[Any] = [(model, "validation") for model in (RecipeTables, *methods, AttackPlan)]
    _, schema = models_json_schema(models, schema_generator=_RecipeSchema)
    definitions = schema["$defs"]
    tables, group = definitions.pop("RecipeTables"), definitions.pop("Group")
    # no file can hold a frame
    definitions.pop("FrameSource")
    for model, names in methods.items():
        entry = definitions[model.__name__]
        required = [name for name in entry.get("required", ()) if name != "group"]
        entry["required"] = ["method", *required, *_with_group(entry, group)]
        entry["properties"] |= {"method": {"enum": names}}
    plan = definitions["AttackPlan"]
    # an attack without a group looks for that of the first mask
    _with_group(plan, group)
    plan["required"] = [name for name in plan.get("required", ()) if name != "group"]
    for entry in [plan, *(definitions[model.__name__] for model in methods)]:
        entry["description"] = entry["description"].partition("\n")[0]
    definitions["ThirdParty"] = _with_source(definitions["ThirdParty"], definitions)
    tables["properties"]["protect"]["items"] = {"anyOf": [{"$ref": f"#/$defs/{model.__name__}"} for model in methods]}
    tables["properties"]["attack"] = {
        "$ref": "#/$defs/AttackPlan",
        "description": tables["properties"]["attack"]["description"],
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **tables,
        "title": "sfumato recipe",
        "$defs": definitions,
    }


def _with_group(entry: dict[str, Any], group: dict[str, Any]) -> list[str]:
    """Put the settings of a group among those of its mask or attack; return those that a mask must have."""
    if not entry["properties"].pop("group", None):
        return []
    entry["properties"] |= group["properties"]
    return list(group["required"])


def _with_source(third_party: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Put the settings of each source beside the steps of a third-party file."""
    steps = {name: value for name, value in third_party["properties"].items() if name != "source"}
    sources = [
        definitions[reference["$ref"].rpartition("/")[2]] for reference in third_party["properties"]["source"]["oneOf"]
    ]
    forms = [{**source, "properties": source["properties"] | steps} for source in sources]
    return {"anyOf": forms, "description": third_party["description"], "title": third_party["title"]}
