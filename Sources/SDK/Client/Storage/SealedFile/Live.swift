internal import Foundation

extension SealedFileStore.Locations {
    /// The directories that the XDG Base Directory Specification gives this user; `nil` without a home.
    public static func environment() -> SealedFileStore.Locations? {
        from(ProcessInfo.processInfo.environment)
    }

    /// The same for any environment. A variable that is not an absolute path counts as missing, as the
    /// specification demands.
    static func from(_ environment: [String: String]) -> SealedFileStore.Locations? {
        let home = absolute(environment["HOME"])
        guard let state = absolute(environment["XDG_STATE_HOME"]) ?? home.map({ $0 + "/.local/state" }),
            let configuration = absolute(environment["XDG_CONFIG_HOME"]) ?? home.map({ $0 + "/.config" })
        else { return nil }
        return SealedFileStore.Locations(stateRoot: state, configurationRoot: configuration)
    }

    private static func absolute(_ path: String?) -> String? {
        path.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
}
