"""Runs one process, or a pipe of two, to its end and says how it went. Never raises for what the
process did: a crash, a time-out and an unreadable answer are outcomes like any other."""
import json
import os
import shlex
import signal
import subprocess
import tempfile
import time

# Taken out of the environment of every run: they would change what is measured.
HIDDEN = ("OURO",)


def environment():
    return {key: value for key, value in os.environ.items() if key not in HIDDEN}


def as_text(commands):
    """What a person would type to repeat the run."""
    return " | ".join(shlex.join(command) for command in commands)


def start(commands, processes, errors):
    """Appends the processes of a pipe, first to last, to `processes`, each in a session of its
    own: Ctrl-C reaches the driver alone, which then ends them and keeps what it has."""
    for command in commands:
        upstream = processes[-1].stdout if processes else None
        processes.append(subprocess.Popen(
            command, start_new_session=True, env=environment(),
            stdin=upstream or subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors))
        if upstream:
            upstream.close()  # the reader alone holds it: when it dies, so does the writer


def end(processes):
    for process in processes:
        if process.poll() is None:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()
        process.stdout.close()


def run(commands, timeout):
    """{"status", "reason", "exit", "seconds", "stdout", "stderr"} of the last of `commands`.

    status: "ok", "failed" (did not start, exit status not 0, or killed by a signal) or "timeout".
    KeyboardInterrupt passes through after the processes have been ended.
    """
    began = time.monotonic()
    outcome = {"status": "ok", "reason": "", "exit": None, "stdout": "", "stderr": ""}
    processes = []
    errors = tempfile.TemporaryFile()
    try:
        start(commands, processes, errors)
        out, _ = processes[-1].communicate(timeout=timeout)
        outcome["stdout"] = out.decode(errors="replace")
        for process in processes[:-1]:
            process.wait(timeout=10)
        outcome["exit"] = processes[-1].returncode
        for command, process in zip(commands, processes):
            if process.returncode != 0:
                outcome["status"] = "failed"
                outcome["reason"] = f"{os.path.basename(command[0])} {ending(process.returncode)}"
    except subprocess.TimeoutExpired:
        outcome["status"], outcome["reason"] = "timeout", f"not done after {timeout:.0f} s"
    except OSError as error:
        outcome["status"], outcome["reason"] = "failed", str(error)
    finally:
        end(processes)
        errors.seek(0)
        outcome["stderr"] = errors.read().decode(errors="replace")[-2000:]
        errors.close()
    outcome["seconds"] = round(time.monotonic() - began, 3)
    return outcome


def ending(status):
    if status >= 0:
        return f"ended with status {status}"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"


def json_answer(outcome):
    """The JSON object on stdout; None, and the outcome turned to failed, if there is none."""
    if outcome["status"] != "ok":
        return None
    try:
        answer = json.loads(outcome["stdout"])
    except ValueError as error:
        answer, problem = None, f"what it printed is not JSON: {error}"
    else:
        problem = "what it printed is not a JSON object"
    if not isinstance(answer, dict):
        outcome["status"], outcome["reason"] = "failed", problem
        return None
    return answer
