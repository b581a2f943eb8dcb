"""An asyncio server of JSON, aiohttp, and its clients in one loop: each request finds a session, answers with a part
of it and replaces it, with cookies, headers, streams and tasks as the library makes them.

`size` sessions are alive; a session refers to its owner, and that to it.
"""
import asyncio
import json
import os
import tempfile

SIZE = 50_000
OPERATIONS = 12_000
PACKAGE = "python3-aiohttp"
IS_ASYNC = True


class Session:
    def __init__(self, number):
        self.number = number
        self.items = [{"item": i, "tags": [number, i]} for i in range(5)]
        self.owner = {"session": self, "name": str(number)}

    def as_json(self):
        return {"number": self.number, "items": self.items, "name": self.owner["name"]}


class Service:
    def __init__(self, size):
        self.sessions = {number: Session(number) for number in range(size)}

    async def start(self):
        import aiohttp
        from aiohttp import web

        async def answer(request):
            number = int(request.match_info["number"])
            session = self.sessions[number]
            self.sessions[number] = Session(number)
            return web.json_response(session.as_json())

        application = web.Application()
        application.router.add_get("/session/{number}", answer)
        runner = web.AppRunner(application, access_log=None)
        await runner.setup()
        folder = tempfile.TemporaryDirectory()
        socket = os.path.join(folder.name, "socket")
        await web.UnixSite(runner, socket).start()
        client = aiohttp.ClientSession(connector=aiohttp.UnixConnector(socket, limit=8))

        async def stop():
            await client.close()
            await runner.cleanup()
            folder.cleanup()
        self.client, self.stop = client, stop

    async def __call__(self, number):
        wanted = number * 7919 % len(self.sessions)
        async with self.client.get(f"http://localhost/session/{wanted}") as response:
            if json.loads(await response.read())["number"] != wanted:
                raise SystemExit("aiohttp: the answer is another session's")


def load(size, seed):
    return Service(size)
