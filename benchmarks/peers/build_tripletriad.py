"""Build PufferLib's tripletriad into this environment, of whichever Python runs this file.

PufferLib's own setup builds all of its environments and fetches raylib from GitHub. Stepping
needs one of them, and raylib only to draw. So this compiles that one as its setup would (same
flags, same sources, as pip downloads them), against a header whose drawing does nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

RELEASE = "pufferlib==3.0.0"
BUILT = (
    Path(sys.prefix) / "lib" / "tripletriad" / f"binding{sysconfig.get_config_var('EXT_SUFFIX')}"
)

RAYLIB = """
#include <stdbool.h>
typedef struct { unsigned char r, g, b, a; } Color;
typedef struct { float x, y, width, height; } Rectangle;
#define PURPLE (Color){200, 122, 255, 255}
#define KEY_ESCAPE 256
static void InitWindow(int w, int h, const char *title) {}
static void SetTargetFPS(int fps) {}
static bool IsKeyDown(int key) { return false; }
static void BeginDrawing(void) {}
static void EndDrawing(void) {}
static void CloseWindow(void) {}
static void ClearBackground(Color c) {}
static const char *TextFormat(const char *text, ...) { return text; }
static void DrawRectangle(int x, int y, int w, int h, Color c) {}
static void DrawRectangleLines(int x, int y, int w, int h, Color c) {}
static void DrawRectangleLinesEx(Rectangle r, float width, Color c) {}
static void DrawText(const char *text, int x, int y, int size, Color c) {}
"""
FLAGS = ["-O2", "-flto", "-fwrapv", "-fPIC", "-shared", "-w", "-DPLATFORM_DESKTOP"]


def download(folder: Path) -> Path:
    """The unpacked sources: pip unpacks them, and stops where their setup would build."""
    command = [
        *(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", "pufferlib"),
        *("--no-build-isolation", "--no-clean", "--dest", str(folder), RELEASE),
    ]
    surroundings = {**os.environ, "TMPDIR": str(folder), "NO_OCEAN": "1", "NO_TRAIN": "1"}
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, check=False)
    found = next(folder.rglob("tripletriad/binding.c"), None)
    if found is None:
        sys.exit(f"{RELEASE} cannot be downloaded: {done.stderr.strip()}")
    return found


def compile_binding(source: Path, folder: Path) -> None:
    import numpy

    (folder / "raylib.h").write_text(RAYLIB)
    BUILT.parent.mkdir(parents=True, exist_ok=True)
    part = BUILT.with_suffix(".part")
    includes = [sysconfig.get_paths()["include"], numpy.get_include(), str(folder)]
    named = [flag for include in includes for flag in ("-I", include)]
    subprocess.run(["cc", *FLAGS, *named, str(source), "-o", str(part)], check=True)
    part.replace(BUILT)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        compile_binding(download(folder), folder)
    print(BUILT)


if __name__ == "__main__":
    main()
