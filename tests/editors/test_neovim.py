"""The server in Neovim, with the configuration of docs/editor.md, through the commands that people use."""

import json
from typing import Any

import pytest

from tests.editors.support import documented, program, run

SOURCE = """\
kernel sound.gain@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  output result: Rows<Float>;
  param amount: Float = 2.0 in 0.0..16.0;
  compute {
    let louder = sample(samples) * amount;
    return lowder;
  }
  example three { samples = [1, 2, 3]; expect result = [2, 4, 6]; }
}
"""

SCRIPT = """\
local seen = {}
local function wait(what, found)
  if not vim.wait(60000, found, 20) then error("waited in vain for " .. what) end
end
local function codes()
  return vim.tbl_map(function(d) return d.code end, vim.diagnostic.get(0))
end
local function at(line, column) vim.api.nvim_win_set_cursor(0, { line, column }) end
local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n") end

vim.cmd.edit("sound.kernel")
seen.filetype = vim.bo.filetype
wait("a finding", function() return #codes() > 0 end)
seen.codes = codes()

at(8, 12)
vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.title:find("louder") ~= nil end })
wait("the fix", function() return text():find("return louder;") ~= nil end)
wait("no finding", function() return #codes() == 0 end)

at(7, 20)
vim.lsp.buf.hover()
local function float()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then return window end
  end
end
wait("a hover", function() return float() ~= nil end)
local shown = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(float()), 0, -1, false)
seen.hover = table.concat(shown, "\\n")
vim.api.nvim_win_close(float(), true)

at(8, 11)
vim.lsp.buf.definition()
wait("the definition", function() return vim.api.nvim_win_get_cursor(0)[1] == 7 end)
seen.definition = vim.api.nvim_win_get_cursor(0)

vim.lsp.buf.rename("scaled")
wait("the new name", function() return text():find("return scaled;") ~= nil end)
seen.renamed = vim.api.nvim_buf_get_lines(0, 6, 8, false)

local client = vim.lsp.get_clients({ bufnr = 0 })[1]
vim.wait(500, function() return false end) -- the editor gathers changes before it sends them
at(8, 11)
local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
local answer = client:request_sync("textDocument/completion", params, 60000, 0)
seen.completion = vim.tbl_map(function(i) return i.label end, answer.result.items or answer.result)

vim.lsp.inlay_hint.enable(true)
vim.lsp.buf.code_action({ apply = true, filter = function(a) return a.title:find("Run three$") ~= nil end })
local function hints()
  return vim.tbl_map(function(h)
    local label = h.inlay_hint.label
    return type(label) == "string" and label or label[1].value
  end, vim.lsp.inlay_hint.get({ bufnr = 0 }))
end
wait("the result", function() return table.concat(hints(), " "):find("6") ~= nil end)
seen.hints = hints()

vim.api.nvim_buf_set_lines(0, 6, 7, false, { "let   scaled=sample(samples)*amount;" })
vim.lsp.buf.format()
seen.formatted = vim.api.nvim_buf_get_lines(0, 6, 7, false)

vim.lsp.codelens.refresh({ bufnr = 0 })
wait("lenses", function() return #vim.lsp.codelens.get(0) > 0 end)
seen.lenses = vim.tbl_map(function(l) return l.command.title end, vim.lsp.codelens.get(0))

io.stdout:write("SEEN " .. vim.json.encode(seen) .. "\\n")
vim.cmd("qall!")
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the script saw."""
    nvim = program("nvim", "neovim")
    folder = tmp_path_factory.mktemp("neovim")
    (folder / "kcheck.toml").write_text("")
    (folder / "sound.kernel").write_text(SOURCE)
    (folder / "init.lua").write_text(documented("lua"))
    script = folder / "script.lua"
    script.write_text(
        f"local ok, problem = pcall(function()\n{SCRIPT}\nend)\nif not ok then print(problem) vim.cmd('cquit') end"
    )
    printed = run([nvim, "--headless", "-u", "init.lua", "-S", str(script)], folder)
    [line] = [line for line in printed.splitlines() if line.startswith("SEEN ")]
    return {**json.loads(line.removeprefix("SEEN ")), "on disk": (folder / "sound.kernel").read_text()}


def test_findings_and_fixes(seen: Any) -> None:
    assert seen["filetype"] == "kernel"
    assert seen["codes"] == ["K201"]


def test_hover(seen: Any) -> None:
    assert "sample" in seen["hover"]


def test_navigation(seen: Any) -> None:
    assert seen["definition"] == [7, 8]
    assert seen["renamed"] == ["    let scaled = sample(samples) * amount;", "    return scaled;"]


def test_completion(seen: Any) -> None:
    assert {"scaled", "amount"} <= set(seen["completion"])


def test_a_run_shows_its_result(seen: Any) -> None:
    assert any("[2" in hint and "6" in hint for hint in seen["hints"])


def test_formatting(seen: Any) -> None:
    assert seen["formatted"] == ["    let scaled = sample(samples) * amount;"]


def test_lenses(seen: Any) -> None:
    assert "▶ run three" in seen["lenses"]


def test_the_file_on_disk_is_as_it_was(seen: Any) -> None:
    assert seen["on disk"] == SOURCE
