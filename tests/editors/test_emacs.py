"""The server in Emacs with eglot, with the configuration of docs/editor.md."""

import json
import subprocess
from typing import Any

import pytest

from tests.editors.support import absent, documented, program, run
from tests.editors.test_neovim import SOURCE

SCRIPT = """\
(setq eglot-sync-connect 60 eglot-connect-timeout 60 eglot-confirm-server-initiated-edits nil create-lockfiles nil
      make-backup-files nil jsonrpc-default-request-timeout 60)
(defvar seen nil)
(defun saw (name value) (push (cons name value) seen))
(defun wait-for (what found)
  (with-timeout (60 (error "waited in vain for %s" what))
    (while (not (funcall found)) (accept-process-output nil 0.05))))
(defun codes () (delq nil (mapcar (lambda (d) (and (string-match "K[0-9]+" (flymake-diagnostic-text d))
                                                   (match-string 0 (flymake-diagnostic-text d))))
                                  (flymake-diagnostics))))
(defun lines () (buffer-substring-no-properties (point-min) (point-max)))

(find-file "sound.kernel")
(saw "mode" (symbol-name major-mode))
(call-interactively #'eglot)
(wait-for "a server" (lambda () (eglot-current-server)))
(flymake-start)
(wait-for "a finding" (lambda () (flymake-diagnostics)))
(saw "findings" (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))

(search-forward "lowder")
(goto-char (match-beginning 0))
(let* ((actions (eglot-code-actions (point) (match-end 0)))
       (fix (seq-find (lambda (a) (string-match "louder" (plist-get a :title))) actions)))
  (saw "action" (plist-get fix :title))
  (eglot--apply-workspace-edit (plist-get fix :edit)))
(wait-for "the fix" (lambda () (string-match "return louder;" (lines))))
(eglot--signal-textDocument/didChange)
(wait-for "no finding" (lambda () (flymake-start) (null (flymake-diagnostics))))

(goto-char (point-min))
(search-forward "sample(")
(goto-char (1+ (match-beginning 0)))
(saw "hover" (eglot--dbind (contents) (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover
                                        (eglot--TextDocumentPositionParams))
               (plist-get contents :value)))

(search-forward "return lou")
(saw "completion" (let* ((table (eglot-completion-at-point))) (all-completions "lou" (nth 2 table))))

(goto-char (point-min))
(search-forward "return lou")
(eglot-rename "scaled")
(wait-for "the new name" (lambda () (string-match "return scaled;" (lines))))
(saw "renamed" (and (string-match "let scaled = sample(samples)" (lines)) t))

(eglot--signal-textDocument/didChange)
(let ((result (jsonrpc-request (eglot--current-server-or-lose) :workspace/executeCommand
                (list :command "kcheck.run"
                      :arguments (vector (list :uri (eglot--path-to-uri (buffer-file-name)) :kernel "sound.gain@1"))))))
  (saw "run" (append (plist-get (aref (plist-get result :outputs) 0) :values) nil)))

(princ (concat "SEEN " (json-encode seen) "\\n"))
(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server))
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the script saw."""
    emacs = program("emacs", "emacs")
    load = "(progn (package-initialize) (require 'eglot))"
    if subprocess.run([emacs, "--batch", "--eval", load], capture_output=True, check=False).returncode:
        absent("emacs", "Emacs has no eglot")
    folder = tmp_path_factory.mktemp("emacs")
    (folder / "kcheck.toml").write_text("")
    (folder / "sound.kernel").write_text(SOURCE)
    (folder / "init.el").write_text(documented("elisp").replace("(add-hook 'kernel-mode-hook #'eglot-ensure)", ""))
    (folder / "script.el").write_text(SCRIPT)
    printed = run([emacs, "--batch", "--eval", load, "-l", "init.el", "-l", "script.el"], folder)
    [line] = [line for line in printed.splitlines() if line.startswith("SEEN ")]
    return json.loads(line.removeprefix("SEEN "))


def test_findings_and_fixes(seen: Any) -> None:
    assert seen["mode"] == "kernel-mode"
    assert any("lowder" in finding for finding in seen["findings"])
    assert "louder" in seen["action"]


def test_hover_and_completion(seen: Any) -> None:
    assert "sample" in seen["hover"]
    assert "louder" in [label.strip() for label in seen["completion"]]


def test_rename_and_run(seen: Any) -> None:
    assert seen["renamed"] is True
    assert seen["run"] == [2, 4, 6]
