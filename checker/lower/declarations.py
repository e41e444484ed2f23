"""Types, constants and signatures, each worked out at its first use."""

from __future__ import annotations

from kcheck.checker import ir, rules, types
from kcheck.checker.evaluate import NotConstant, evaluate
from kcheck.checker.lower import expressions
from kcheck.checker.lower.context import Expected, FunctionContext, ProgramContext
from kcheck.checker.lower.problems import Problems
from kcheck.checker.lower.scopes import ConstEntity, FunctionEntity, Home, Scope, Signature, TypeEntity
from kcheck.checker.near import did_you_mean
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Note
from kcheck.grammar.spans import Span

BASIC_TYPES: dict[str, types.Type] = {
    "Bool": types.BOOL,
    "Int": types.INT,
    "Float": types.FLOAT,
    "Vec2": types.Vec(2),
    "Vec3": types.Vec(3),
    "Vec4": types.Vec(4),
    "Mat2": types.Mat(2),
    "Mat3": types.Mat(3),
    "Mat4": types.Mat(4),
}
FIELD_RANKS = {name: rank for rank, name in types.RANK_NAMES.items()}
IMAGE = types.Field(2, types.Vec(4))


class Declarations:
    """Resolves what a scope declares; all errors go to `problems`."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    # ------------------------------------------------------------ types

    def value_type(self, node: syntax.TypeExpr, scope: Scope, home: Home) -> types.Type | None:
        """The type of a value; None after an error."""
        if isinstance(node, syntax.ArrayType):
            return self._array_type(node, scope, home)
        name = node.name.text
        if name in FIELD_RANKS or name == "Image":
            self.problems.add(
                rules.NOT_A_VALUE.report(
                    home.at(node.span),
                    f"`{name}` is the type of a port, not of a value",
                    notes=(Note("fields are inputs, outputs and memories; a value is one of their elements"),),
                )
            )
            return None
        if node.args:
            self._unknown_arguments(node, home)
            return None
        if name in BASIC_TYPES and scope.find_type(name) is None:
            return BASIC_TYPES[name]
        entity = scope.find_type(name)
        if entity is None:
            self._unknown_type(node, scope, home)
            return None
        return self.type_of(entity)

    def field_type(self, node: syntax.TypeExpr, scope: Scope, home: Home) -> types.Field | None:
        """The type of a port; None after an error."""
        if isinstance(node, syntax.NamedType):
            name = node.name.text
            if name == "Image" and not node.args:
                return IMAGE
            rank = FIELD_RANKS.get(name)
            if rank is not None and len(node.args) == 1:
                element = self.value_type(node.args[0], scope, home)
                return None if element is None else types.Field(rank, element)
            if rank is not None or name == "Image":
                self._unknown_arguments(node, home)
                return None
        if self.value_type(node, scope, home) is not None:
            self.problems.add(
                rules.NOT_A_VALUE.report(
                    home.at(node.span),
                    "a port holds a field, not a single value",
                    notes=(Note("write `Rows<…>`, `Grid<…>`, `Volume<…>` or `Image`; a single value is a `param`"),),
                )
            )
        return None

    def _array_type(self, node: syntax.ArrayType, scope: Scope, home: Home) -> types.Type | None:
        element = self.value_type(node.element, scope, home)
        length = self.constant_int(node.length, scope, home)
        if element is None or length is None:
            return None
        return self.checked_array(element, length, home, node.span)

    def checked_array(self, element: types.Type, length: int, home: Home, span: Span) -> types.Array | None:
        """`[element; length]`, or an error where there is no such type."""
        if length < 1:
            self.problems.add(
                rules.BAD_ARRAY.report(home.at(span), f"an array has at least 1 element, this one has {length}")
            )
            return None
        if length * max(1, types.leaf_count(element)) > types.MAX_LEAVES:
            self.problems.add(
                rules.BAD_ARRAY.report(
                    home.at(span),
                    f"a value holds at most {types.MAX_LEAVES} numbers, this one has "
                    f"{length * types.leaf_count(element)}",
                    notes=(Note("large tables belong in an input (read by `at`) or in a memory"),),
                )
            )
            return None
        return types.Array(element, length)

    def _unknown_arguments(self, node: syntax.NamedType, home: Home) -> None:
        name = node.name.text
        need = "one element type, as in `Grid<Float>`" if name in FIELD_RANKS else "no type in angle brackets"
        self.problems.add(rules.UNKNOWN_TYPE.report(home.at(node.span), f"`{name}` takes {need}"))

    def _unknown_type(self, node: syntax.NamedType, scope: Scope, home: Home) -> None:
        name = node.name.text
        if scope.excuses(name):
            return
        habit = _TYPE_HABITS.get(name)
        known = [*BASIC_TYPES, *FIELD_RANKS, "Image", *scope.type_names()]
        hint = f"; write `{habit}`" if habit else did_you_mean(name, known)
        self.problems.add(rules.UNKNOWN_TYPE.report(home.at(node.span), f"there is no type `{name}`{hint}"))

    def type_of(self, entity: TypeEntity) -> types.Struct | types.Enum | None:
        entity.used = True
        if entity.state == "working":
            self._recursive(entity)
            return None
        if entity.state == "new":
            entity.state = "working"
            entity.type = self._build_type(entity)
            entity.state = "done"
        return entity.type

    def _recursive(self, entity: TypeEntity) -> None:
        self.problems.add(
            rules.RECURSIVE_TYPE.report(
                entity.home.at(entity.node.name.span),
                f"`{entity.node.name.text}` contains itself, so it would have no end",
                notes=(Note("keep an index (Int) of the other element instead"),),
            )
        )

    def _build_type(self, entity: TypeEntity) -> types.Struct | types.Enum | None:
        node = entity.node
        key = node.name.text if entity.scope.parent is None else f"{entity.home.item}.{node.name.text}"
        if isinstance(node, syntax.Struct):
            fields = self._fields(node.fields, entity)
            built: types.Struct | types.Enum | None
            built = None if fields is None else types.Struct(node.name.text, key, fields)
        else:
            built = self._build_enum(node, entity, key)
        if built is not None and types.leaf_count(built) > types.MAX_LEAVES:
            self.problems.add(
                rules.BAD_ARRAY.report(
                    entity.home.at(node.name.span),
                    f"a value holds at most {types.MAX_LEAVES} numbers, `{node.name.text}` has "
                    f"{types.leaf_count(built)}",
                )
            )
            return None
        return built

    def _build_enum(self, node: syntax.Enumeration, entity: TypeEntity, key: str) -> types.Enum | None:
        self._no_duplicates([v.name for v in node.variants], entity.home, "variant")
        variants = []
        for variant in node.variants:
            if variant.name.text == "tag":
                self.problems.add(
                    rules.DUPLICATE.report(
                        entity.home.at(variant.name.span),
                        "a variant cannot be called `tag`: in arrays that is the name of the variant's number",
                    )
                )
            fields = self._fields(variant.fields, entity)
            if fields is None:
                return None
            variants.append(types.Variant(variant.name.text, fields))
        if not variants:
            self.problems.add(
                rules.RECURSIVE_TYPE.report(
                    entity.home.at(node.name.span), f"`{node.name.text}` has no variant, so it has no value"
                )
            )
            return None
        return types.Enum(node.name.text, key, tuple(variants))

    def _fields(self, nodes: tuple[syntax.FieldDecl, ...], entity: TypeEntity) -> tuple[types.FieldOf, ...] | None:
        self._no_duplicates([f.name for f in nodes], entity.home, "field")
        found = [(n.name.text, self.value_type(n.type, entity.scope, entity.home)) for n in nodes]
        fields = tuple(types.FieldOf(name, type_) for name, type_ in found if type_ is not None)
        return fields if len(fields) == len(found) else None

    def _no_duplicates(self, names: list[syntax.Name], home: Home, what: str) -> None:
        seen: dict[str, syntax.Name] = {}
        for name in names:
            if name.text in seen:
                self.problems.add(
                    rules.DUPLICATE.report(
                        home.at(name.span),
                        f"a second {what} `{name.text}`",
                        notes=(Note(f"the first `{name.text}` is here", home.at(seen[name.text].span)),),
                    )
                )
            seen.setdefault(name.text, name)

    # ------------------------------------------------------------ functions

    def signature(self, entity: FunctionEntity) -> Signature:
        if entity.signature is None:
            node = entity.node
            self._no_duplicates([p.name for p in node.parameters], entity.home, "parameter")
            entity.signature = Signature(
                tuple(self.value_type(p.type, entity.scope, entity.home) for p in node.parameters),
                types.UNIT if node.result is None else self.value_type(node.result, entity.scope, entity.home),
            )
        return entity.signature

    # ------------------------------------------------------------ constants

    def constant(self, entity: ConstEntity) -> ir.Const | None:
        """The value of a `const`; None after an error."""
        entity.used = True
        if entity.state == "working":
            self.problems.add(
                rules.CONST_CYCLE.report(
                    entity.home.at(entity.node.name.span),
                    f"the value of `{entity.node.name.text}` depends on itself",
                )
            )
            return None
        if entity.state == "new":
            entity.state = "working"
            type_ = self.value_type(entity.node.type, entity.scope, entity.home)
            entity.value = self.constant_value(entity.node.value, type_, entity.scope, entity.home)
            entity.state = "done"
        return entity.value

    def constant_value(self, node: syntax.Expr, type_: types.Type | None, scope: Scope, home: Home) -> ir.Const | None:
        """The value of a constant expression that should have type `type_` (of any type where that is None)."""
        program = ProgramContext(self, scope, rank=1)
        context = FunctionContext(program, home, scope, "constant", Expected(type_))
        context.constant = True
        value = expressions.lower_as(context, node, type_)
        if value is None:
            return None
        if context.statements:
            self._not_constant(home, node.span)
            return None
        try:
            return evaluate(value)
        except NotConstant as problem:
            origin = context.origins[problem.node.id] if problem.node.id >= 0 else home.at(node.span)
            self._not_constant(home, origin.span)
            return None

    def _not_constant(self, home: Home, span: Span) -> None:
        self.problems.add(
            rules.NOT_CONSTANT.report(
                home.at(span),
                "this is not known before the kernel runs",
                notes=(Note("constants are made of literals, operators, built-ins and other constants"),),
            )
        )

    def constant_int(self, node: syntax.Expr, scope: Scope, home: Home) -> int | None:
        value = self.constant_value(node, types.INT, scope, home)
        return None if value is None else int(value.leaves[0])


_TYPE_HABITS = {
    "float": "Float",
    "f32": "Float",
    "half": "Float",
    "double": "Float",
    "f64": "Float",
    "int": "Int",
    "i32": "Int",
    "uint": "Int",
    "u32": "Int",
    "bool": "Bool",
    "vec2": "Vec2",
    "vec3": "Vec3",
    "vec4": "Vec4",
    "float2": "Vec2",
    "float3": "Vec3",
    "float4": "Vec4",
    "mat2": "Mat2",
    "mat3": "Mat3",
    "mat4": "Mat4",
}
