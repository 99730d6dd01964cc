# SPDX-License-Identifier: Apache-2.0
"""Python's search path in a program whose files were kept (key code).

Python imports it by the name sitecustomize, from PYTHONPATH. Folders of the search
path that were kept are those of the copy from then on: that of `python -m', which
comes after this file, PYTHONPATH's, those of editable installations, those that the
program adds itself. A sitecustomize that it hides is imported.
"""
import importlib
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
_kept = os.path.join(os.path.dirname(_here), "files")
_live = os.environ.get("DIST_TRAIN_CODE_FOLDER", "")


def _copy_of(entry):
    """The folder in the copy, or the entry itself."""
    if not isinstance(entry, str):
        return entry
    folder = os.path.realpath(entry or os.getcwd())
    if folder != _live and not folder.startswith(_live + os.sep):
        return entry
    kept = os.path.join(_kept, os.path.relpath(folder, _live))
    # What git ignores is a link to where it was
    kept = os.path.normpath(kept)
    return kept if os.path.isdir(kept) and os.path.realpath(kept) == kept else entry


class _Finder:
    """Finds nothing; looks at the search path before all others do."""

    seen = None

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if sys.path != cls.seen:
            sys.path[:] = [_copy_of(entry) for entry in sys.path]
            cls.seen = list(sys.path)


def _begin():
    sys.path[:] = [entry for entry in sys.path if entry != _here]
    own = sys.modules.pop("sitecustomize", None)
    try:
        importlib.import_module("sitecustomize")
    except ImportError:
        sys.modules["sitecustomize"] = own
    sys.meta_path.insert(0, _Finder)


if _live and not getattr(sys, "_dist_train_code", None):
    sys._dist_train_code = _kept
    _kept = os.path.realpath(_kept)
    _begin()
