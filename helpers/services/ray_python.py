# SPDX-License-Identifier: Apache-2.0
"""The Python that has Ray, where the command brings its own environment.

dist-train-ray is started by the Python of the command's words, else by that of
PATH. A command such as `bash -c "source venv/bin/activate; python train.py"`
activates its environment later; then it is looked for in the command's text.
Nothing of the command is run for that: a Python that the text leads to counts
only if it has Ray.
"""
import importlib.util
import os
import re
import shutil
import subprocess
import sys

SCRIPT_MAX = 64 * 1024
ACTIVATED = re.compile(r"(?:^|[\s;&|(])(?:source|\.)\s+[\"']?"
                       r"([^\s;&|\"']+)/bin/activate\b")
IN_PATH = re.compile(r"\bPATH=[\"']?([^\s:;\"']+)")
BESIDE = re.compile(r"([^\s;&|\"'=:]*/)[^\s/;&|\"':]+")  # /venv/bin/ray
CONDA = re.compile(r"\b(?:conda|mamba|micromamba)\s+"
                   r"(?:activate\s+|run\s+(?:-\S+\s+)*?"
                   r"(?:-n|--name|-p|--prefix)[\s=]+)([^\s;&|\"']+)")
UV = re.compile(r"\buv\s+run\b")
UV_PROJECT = re.compile(r"\s--(?:project|directory)[\s=]+(\S+)")
CONTAINER = re.compile(r"(?:^|[\s;&|(/])(?:(apptainer|singularity|podman|docker)"
                       r"\s+(?:\S+\s+)*?(?:run|exec|shell)\s"
                       r"|(ch-run|shifter)\s|(enroot)\s+start\s)")


def has_ray(python=None):
    """Whether that one, or this one, can import Ray."""
    if python is None:
        spec = importlib.util.find_spec("ray")
        return bool(spec and spec.origin)
    look = ("import importlib.util as u, sys; s = u.find_spec('ray'); "
            "sys.exit(not (s and s.origin))")
    try:
        return subprocess.run([python, "-c", look], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, timeout=30,
                              check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def script(path):
    """The text of a shell script, or nothing."""
    try:
        with open(path, "rb") as f:
            text = f.read(SCRIPT_MAX) if os.path.isfile(path) else b""
    except OSError:
        return ""
    first = text.split(b"\n", 1)[0]
    return text.decode(errors="replace") if (
        first.startswith(b"#!") and b"python" not in first) else ""


def text_of(command):
    """Its words and its shell scripts, a line each at least."""
    return "\n".join([*command, *(script(word) for word in command)])


def conda_prefixes(name):
    """Where an environment of that name may be."""
    if "/" in name:
        return [name]
    exe = os.environ.get("CONDA_EXE") or shutil.which("conda") or ""
    roots = [os.path.dirname(os.path.dirname(exe)) if exe else "",
             os.environ.get("MAMBA_ROOT_PREFIX", ""), "~/.conda"]
    return [root if name == "base" else f"{root}/envs/{name}"
            for root in roots if root]


def uv_prefixes(text):
    """The environment of uv's project, from the nearest folder on."""
    found = UV_PROJECT.search(text)
    folder = os.path.abspath(found.group(1) if found else ".")
    prefixes = [os.environ.get("UV_PROJECT_ENVIRONMENT", "")]
    while True:
        prefixes.append(os.path.join(folder, ".venv"))
        if folder == os.path.dirname(folder):
            return [p for p in prefixes if p]
        folder = os.path.dirname(folder)


def folders(text):
    """Those in which a Python may be, the likeliest first."""
    found = [m + "/bin" for m in ACTIVATED.findall(text)]
    for name in CONDA.findall(text):
        found += [prefix + "/bin" for prefix in conda_prefixes(name)]
    if UV.search(text):
        found += [prefix + "/bin" for prefix in uv_prefixes(text)]
    found += IN_PATH.findall(text) + BESIDE.findall(text)
    return [os.path.expanduser(os.path.expandvars(f)) for f in found]


def find(command):
    """The first that has Ray, or None."""
    for folder in dict.fromkeys(folders(text_of(command))):
        for name in ("python3", "python"):
            python = os.path.join(folder, name)
            if os.access(python, os.X_OK) and has_ray(python):
                return python
    return None


def container(command):
    """The program by which the command enters one, or None."""
    found = CONTAINER.search(text_of(command) + "\n")
    return next(filter(None, found.groups())) if found else None


def choose(command, say):
    """Go on with the Python that has Ray; end where none has, in words."""
    inside = container(command)
    if has_ray():
        if inside:
            say(f"the command enters a container ({inside}), but Ray runs "
                f"outside of it, with {sys.executable}; actors don't see the "
                "image. A container of srun's (--container-image) has both")
        return
    python = None if inside else find(command)
    if python:  # and what actors and jobs start is beside it, as for the user
        os.environ["PATH"] = (os.path.dirname(python) + ":"
                              + os.environ.get("PATH", os.defpath))
        os.execv(python, [python, *sys.argv])
    if inside:
        say(f"no Ray in {sys.executable}, and the command enters a container "
            f"({inside}), where Ray isn't started; use a container of srun's "
            "(--container-image), or activate an environment with the same "
            "Ray before srun")
    else:
        say(f"no Ray in {sys.executable}; activate the environment before "
            "srun, or name its python in the command: "
            "/path/of/venv/bin/python3 train.py")
    sys.exit(1)
