"""One off-screen studio for a module's tests, with a model for each of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from .driver import Driver, open_studio

HUMANOID = Path(__file__).parents[2] / "assets" / "models" / "humanoid.bam"


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A folder of its own for what the studio keeps of a test."""
    monkeypatch.setenv("IKRIG_STUDIO_HOME", str(tmp_path / "state"))


@pytest.fixture(scope="module")
def app(request, tmp_path_factory):
    """The studio, as large as the module's ``SIZE``."""
    patch = pytest.MonkeyPatch()
    patch.setenv("IKRIG_STUDIO_HOME", str(tmp_path_factory.mktemp("state")))
    app = open_studio(getattr(request.module, "SIZE", (800, 500)))
    # for nobody here: a frame takes a quarter of the time without; Driver.picture draws
    app.studio.draw(False)
    app.win.set_active(False)
    with app:
        yield app
        app.close()
        # the next window's clock must not run them
        assert not app.task_mgr.getTasksMatching("studio_*")
    patch.undo()


@pytest.fixture
def studio(app, tmp_path):
    """A driver with the humanoid open, in a folder of its own, asked for its limbs."""
    (tmp_path / "models").mkdir()
    model = tmp_path / "models" / "hero.bam"
    model.write_bytes(HUMANOID.read_bytes())
    driver = Driver(app)
    assert driver.session.open(model)
    driver.frames(3)
    driver.folder, driver.model = tmp_path, model
    yield driver
    assert not app.faults, app.faults
    if driver.session.is_open:
        driver.session.live.close()
        driver.session.live = None
    driver.session.dialog = ""
    driver.session.log.clear()
    driver.session.tests.clear()
    driver.session.mode = "Chain"
