"""Kernels that the tests of this folder run."""

from pathlib import Path

from kcheck.checker import check_text
from kcheck.checker.bindings import ExampleSpec
from kcheck.lsp.runs import RunRequest

SOURCE = """\
struct Body { mass: Int; place: Vec2; }

kernel test.scale@1 {
  requires { field.read; field.write; }
  input x: Rows<Float>;
  param k: Float = 0.5 in 0.0..4.0;
  output result: Rows<Float>;
  compute { return sample(x) * k; }
  example right { x = [1, 2, 4]; expect result = [0.5, 1, 2]; }
  example wrong { x = [1, 2, 4]; expect result = [0.5, 2, 3]; }
  example lost { x = file("none.npy"); }
}
kernel test.ramp@1 {
  requires { field.write; }
  param k: Float = 1.0 in 0.0..100.0;
  output result: Grid<Float>;
  compute { return coord().x + 10.0 * coord().y * k; }
}
kernel test.rounds@1 {
  requires { field.write; }
  output result: Grid<Float>;
  compute { var s = 0.0; for i in 0..400 { s = s * 0.5 + coord().x; } return s; }
}
kernel test.colour@1 {
  requires { field.write; }
  param k: Float = 1.0;
  output result: Image;
  compute { let p = place(); return vec4(p.x, p.y, k, 1.0); }
}
kernel test.bodies@1 {
  requires { field.write; }
  output result: Rows<Body>;
  compute { let i = index(); return Body { mass: i, place: vec2(float(i), 0.5) }; }
}
kernel test.volume@1 {
  requires { field.write; }
  output result: Volume<Int>;
  compute { return index(); }
}
kernel test.count@1 {
  requires { field.read; field.write; }
  input x: Rows<Int>;
  memory ram: Rows<Int>;
  output result: Rows<Int>;
  scan over x with n = 0 { put(ram, sample(x), n); return n + 1; }
}
kernel test.order@1 {
  requires { field.write; }
  param step: Int = 1;
  param from: Int = 0;
  output twice: Rows<Int>;
  output once: Rows<Int>;
  compute { let y = from + step * index(); { twice: 2 * y, once: y } }
}
kernel test.long@1 {
  requires { field.read; field.write; }
  input x: Rows<Float>;
  output result: Rows<Float>;
  scan over x with y = 0.0 {
    var s = y;
    for i in 0..1000000000 { s = s * 1.0000001 + sample(x); }
    return s;
  }
}
"""


def request(folder: Path, kernel: str, example: str | None = None, **options: object) -> RunRequest:
    """A request for a kernel of the source above, as if it stood in `folder`."""
    path = folder / "test.kernel"
    checked = check_text(SOURCE, str(path))
    name = f"test.{kernel}@1"
    found: ExampleSpec | None = None
    if example is not None:
        found = next(one for one in checked.examples if (one.kernel, one.name) == (name, example))
    return RunRequest(path=path, program=checked.programs[name], example=found, **options)  # type: ignore[arg-type]
