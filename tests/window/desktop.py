#!/usr/bin/python3
"""Stands in for a desktop on the session bus: a place for tray icons and one for notifications.

Writes a JSON object a line for everything that happens:
  {"event": "ready"}
  {"event": "tray", ...}            an icon appeared or changed: status, icon, label, title
  {"event": "untray"}               it went away
  {"event": "notify", "id": n, "replaces": n, "summary": s, "body": s, "actions": [...]}
  {"event": "closed", "id": n}      the program took a notification back
and reads commands the same way, each answered by {"answer": ..., "to": command}:
  {"command": "click", "id": n, "action": "default"}
  {"command": "dismiss", "id": n}
  {"command": "tray"}               the icon as it is now, its picture's bytes as SHA-256
  {"command": "menu"}               the menu's entries: id, label, enabled, checked, type
  {"command": "choose", "label": s} as if a person chose that entry

Needs python3-dbus and python3-gi; end it by closing its input.
"""

import hashlib
import json
import os
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"
NOTIFICATIONS = "org.freedesktop.Notifications"
PROPERTIES = "org.freedesktop.DBus.Properties"


def tell(**what):
    print(json.dumps(what), flush=True)


def plain(value):
    """D-Bus values as JSON has them."""
    if isinstance(value, dbus.Boolean):
        return bool(value)
    if isinstance(value, (dbus.Array, list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (dbus.Dictionary, dict)):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, int):
        return int(value)
    return str(value)


class Watcher(dbus.service.Object):
    """org.kde.StatusNotifierWatcher, as panels have it."""

    def __init__(self, bus):
        self.bus = bus
        self.item = None
        name = dbus.service.BusName(WATCHER, bus)
        super().__init__(name, "/StatusNotifierWatcher")

    @dbus.service.method(WATCHER, in_signature="s", sender_keyword="sender")
    def RegisterStatusNotifierItem(self, service, sender=None):
        path = service if service.startswith("/") else "/StatusNotifierItem"
        owner = sender if service.startswith("/") else service
        self.item = (owner, path)
        for signal in ("NewIcon", "NewStatus", "NewTitle", "XAyatanaNewLabel"):
            self.bus.add_signal_receiver(self.changed, signal, ITEM, owner, path)
        self.bus.watch_name_owner(owner, lambda new: self.gone() if new == "" else None)
        self.StatusNotifierItemRegistered(owner + path)
        self.changed()

    @dbus.service.method(WATCHER, in_signature="s")
    def RegisterStatusNotifierHost(self, _service):
        self.StatusNotifierHostRegistered()

    @dbus.service.signal(WATCHER, signature="s")
    def StatusNotifierItemRegistered(self, service):
        pass

    @dbus.service.signal(WATCHER)
    def StatusNotifierHostRegistered(self):
        pass

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, _interface, name):
        return self.GetAll(_interface)[name]

    @dbus.service.method(PROPERTIES, in_signature="s", out_signature="a{sv}")
    def GetAll(self, _interface):
        items = [self.item[0] + self.item[1]] if self.item else []
        return {
            "IsStatusNotifierHostRegistered": dbus.Boolean(True),
            "ProtocolVersion": dbus.Int32(0),
            "RegisteredStatusNotifierItems": dbus.Array(items, signature="s"),
        }

    def gone(self):
        if self.item is not None:
            self.item = None
            tell(event="untray")

    def changed(self, *_arguments):
        if self.item is None:
            return
        owner, path = self.item
        self.bus.call_async(
            owner, path, PROPERTIES, "GetAll", "s", (ITEM,),
            lambda values: tell(event="tray", **self.look(values)), lambda _error: None,
        )

    def look(self, values):
        values = plain(values)
        icon = values.get("IconName", "")
        for folder in ("", values.get("IconThemePath", "")):
            for ending in ("", ".png"):
                file = os.path.join(folder, icon + ending)
                try:
                    with open(file, "rb") as picture:
                        digest = hashlib.sha256(picture.read()).hexdigest()
                except OSError:
                    # Not here, or already replaced by the next one.
                    continue
                return {**self.words(values), "icon": file, "sha256": digest}
        return {**self.words(values), "icon": icon, "sha256": None}

    @staticmethod
    def words(values):
        return {
            "status": values.get("Status", ""),
            "title": values.get("Title", ""),
            "label": values.get("XAyatanaLabel", ""),
            "tooltip": values.get("ToolTip", ""),
        }

    def now(self):
        owner, path = self.item
        values = self.bus.call_blocking(owner, path, PROPERTIES, "GetAll", "s", (ITEM,))
        return self.look(values)

    def entries(self):
        owner, path = self.item
        menu = self.bus.call_blocking(owner, path, PROPERTIES, "Get", "ss", (ITEM, "Menu"))
        self.bus.call_blocking(owner, menu, MENU, "AboutToShow", "i", (0,))
        _revision, layout = self.bus.call_blocking(
            owner, menu, MENU, "GetLayout", "iias", (0, -1, dbus.Array([], signature="s"))
        )
        return menu, [
            {
                "id": int(entry[0]),
                "label": str(entry[1].get("label", "")).replace("__", "\0").replace("_", "").replace("\0", "_"),
                "enabled": bool(entry[1].get("enabled", True)),
                "checked": int(entry[1].get("toggle-state", 0)) == 1,
                "type": str(entry[1].get("type", "standard")),
            }
            for entry in layout[2]
        ]

    def choose(self, label):
        menu, entries = self.entries()
        for entry in entries:
            if entry["label"] == label and entry["enabled"]:
                self.bus.call_blocking(
                    self.item[0], menu, MENU, "Event", "isvu",
                    (dbus.Int32(entry["id"]), "clicked", dbus.String("", variant_level=1), dbus.UInt32(0)),
                )
                return True
        return False


class Notifications(dbus.service.Object):
    """org.freedesktop.Notifications, version 1.2."""

    def __init__(self, bus):
        self.last = 0
        name = dbus.service.BusName(NOTIFICATIONS, bus)
        super().__init__(name, "/org/freedesktop/Notifications")

    @dbus.service.method(NOTIFICATIONS, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, program, replaces, icon, summary, body, actions, hints, timeout):
        if replaces == 0:
            self.last += 1
        number = int(replaces) or self.last
        tell(
            event="notify", id=number, program=str(program), replaces=int(replaces), icon=str(icon),
            summary=str(summary), body=str(body), actions=plain(actions), hints=plain(hints), timeout=int(timeout),
        )
        return dbus.UInt32(number)

    @dbus.service.method(NOTIFICATIONS, in_signature="u")
    def CloseNotification(self, number):
        tell(event="closed", id=int(number))
        self.NotificationClosed(number, dbus.UInt32(3))

    @dbus.service.method(NOTIFICATIONS, out_signature="as")
    def GetCapabilities(self):
        return ["actions", "body", "persistence"]

    @dbus.service.method(NOTIFICATIONS, out_signature="ssss")
    def GetServerInformation(self):
        return ("desktop.py", "AgentNative tests", "1", "1.2")

    @dbus.service.signal(NOTIFICATIONS, signature="us")
    def ActionInvoked(self, number, action):
        pass

    @dbus.service.signal(NOTIFICATIONS, signature="uu")
    def NotificationClosed(self, number, reason):
        pass


def carry_out(watcher, notifications, command):
    match command["command"]:
        case "click":
            notifications.ActionInvoked(dbus.UInt32(command["id"]), command.get("action", "default"))
            notifications.NotificationClosed(dbus.UInt32(command["id"]), dbus.UInt32(2))
            return True
        case "dismiss":
            notifications.NotificationClosed(dbus.UInt32(command["id"]), dbus.UInt32(2))
            return True
        case "tray":
            return watcher.now() if watcher.item else None
        case "menu":
            return watcher.entries()[1] if watcher.item else None
        case "choose":
            return watcher.choose(command["label"]) if watcher.item else False
        case other:
            return f"unknown command {other}"


def main():
    DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    watcher, notifications = Watcher(bus), Notifications(bus)
    loop = GLib.MainLoop()

    rest = b""

    def heard(_source, _condition):
        nonlocal rest
        read = os.read(sys.stdin.fileno(), 65536)
        if read == b"":
            loop.quit()
            return False
        *lines, rest = (rest + read).split(b"\n")
        for line in filter(None, lines):
            command = json.loads(line)
            try:
                answer = carry_out(watcher, notifications, command)
            except dbus.DBusException as error:
                answer = {"problem": str(error)}
            tell(answer=answer, to=command["command"])
        return True

    GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN | GLib.IO_HUP, heard)
    tell(event="ready")
    loop.run()


main()
