"""Runs many asyncio tasks and keeps them: some wait, some have failed, some are done.

    asyncio_tasks.py [--tasks N] [--seed S]

Each of N jobs (default 20000) is a task that awaits through three coroutines. The seed decides which
of them are still waiting when the loop stops (suspended coroutines with their locals, a future and
its callbacks), which failed (an exception chained to another, both with tracebacks, whose frames hold
the job that holds the exception) and which are done (results). Nothing is timed and nothing comes
from outside; the loop stays open.
"""

import argparse
import asyncio
import random

loop = None  # with `jobs`, what keeps everything alive
jobs = []


class JobError(Exception):
    def __init__(self, job, reason):
        super().__init__(reason)
        self.job = job


class Job:
    def __init__(self, number, parent, fate):
        self.number, self.parent, self.fate = number, parent, fate
        self.children, self.log = [], {}
        self.task = self.gate = self.error = None
        if parent is not None:
            parent.children.append(self)

    def finished(self, task):
        self.error = task.exception()
        self.log["finished"] = [task, self.parent]


def divide(job, parts):
    share = {"job": job, "parts": parts}
    return job.number / len(share["parts"])


def examine(job, depth):
    held = [job, depth]
    if depth:
        return examine(held[0], depth - 1)
    try:
        return divide(job, [])
    except ZeroDivisionError as error:
        raise JobError(job, "nothing to divide by") from error


async def wait(job, context):
    notes = [context, job.number]
    job.gate = asyncio.get_running_loop().create_future()
    job.gate.add_done_callback(notes.append)
    await job.gate
    return notes


async def step(job):
    context = {"job": job, "path": (job, job.parent)}
    if job.fate == "fails":
        context["answer"] = examine(job, 2)
    elif job.fate == "waits":
        context["answer"] = await wait(job, context)
    await asyncio.sleep(0)
    return context


async def work(job):
    results = []
    results.append(await step(job))
    return results


async def start(wanted):
    draw = random.Random(wanted.seed)
    for number in range(wanted.tasks):
        parent = draw.choice(jobs) if jobs else None
        job = Job(number, parent, draw.choice(("waits", "fails", "is done")))
        job.task = asyncio.ensure_future(work(job))
        job.task.add_done_callback(job.finished)
        job.task._log_destroy_pending = False  # that some of them wait for ever is intended
        jobs.append(job)
    for _ in range(5):  # more turns of the loop than any job has
        await asyncio.sleep(0)


def main():
    global loop
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, default=20_000, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    wanted = parser.parse_args()
    loop = asyncio.new_event_loop()
    loop.run_until_complete(start(wanted))
    waiting = sum(not job.task.done() for job in jobs)
    failed = sum(job.error is not None for job in jobs)
    print(f"{len(jobs)} tasks, {waiting} waiting, {failed} failed")


main()
