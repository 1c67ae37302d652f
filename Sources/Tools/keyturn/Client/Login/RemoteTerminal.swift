/// Where a person sits at another machine than this one.
enum RemoteTerminal {
    /// Whether this is a terminal over SSH, and no browser can be shown beside it.
    static func isWithoutBrowser(_ environment: [String: String]) -> Bool {
        func isSet(_ name: String) -> Bool { environment[name]?.isEmpty == false }
        return isSet("SSH_CONNECTION") && !isSet("DISPLAY") && !isSet("WAYLAND_DISPLAY")
    }

    /// What to add where a person is told to open an address on this machine; empty if they can.
    ///
    /// - Parameter command: The sign-in with another device.
    static func hint(_ environment: [String: String], command: String) -> String {
        guard isWithoutBrowser(environment) else { return "" }
        return """
            You are here over SSH: a browser of your own machine does not reach this one. If there is none here, give up
            with Ctrl-C, and run `\(command)`: it shows a code, which you type in a browser anywhere.

            """
    }
}
