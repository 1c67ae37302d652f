internal import Foundation
internal import Logging

/// What the program that started this one handed over by environment variables: systemd, or one that does as it does.
///
/// Without the variables it is silent, and has no sockets.
struct ServiceManager: Sendable {
    /// Every variable of the protocol. They are meant for this process alone, and removed when they were read.
    static let variables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
    ]
    /// Most microseconds between two answers: a day.
    private static let watchdogMax = 86_400_000_000

    /// Where messages go; `nil`: nowhere.
    let socket: NotifySocket?
    /// The sockets to listen on; empty: the program opens its own.
    let sockets: [PassedSocket]
    /// After so long without a message the program is taken for hung; `nil`: never.
    let watchdog: Duration?

    /// - Parameter firstDescriptor: of the sockets that are passed.
    /// - Throws: ``CommandFailure`` if a variable makes no sense.
    init(
        _ environment: [String: String], processID: Int32, firstDescriptor: Int32 = PassedSocket.firstDescriptor
    ) throws(CommandFailure) {
        sockets = try PassedSocket.all(environment, processID: processID, first: firstDescriptor)
        guard let name = environment["NOTIFY_SOCKET"], !name.isEmpty else {
            (socket, watchdog) = (nil, nil)
            return
        }
        socket = try NotifySocket(name)
        watchdog = try Self.watchdog(environment, processID: processID)
    }

    private static func watchdog(
        _ environment: [String: String], processID: Int32
    ) throws(CommandFailure) -> Duration? {
        guard let text = environment["WATCHDOG_USEC"] else { return nil }
        if let owner = environment["WATCHDOG_PID"] {
            guard let owner = Int32(owner), owner > 0 else {
                throw .refused("WATCHDOG_PID is not the number of a process: unset it, or start the server by systemd.")
            }
            guard owner == processID else { return nil }
        }
        guard let microseconds = Int(text), (1...watchdogMax).contains(microseconds) else {
            throw .refused(
                "WATCHDOG_USEC must be a number of microseconds, from 1 to \(watchdogMax): set WatchdogSec=.")
        }
        return .microseconds(microseconds)
    }

    /// Reads the variables of this process, and removes them.
    ///
    /// - Throws: ``CommandFailure`` as ``init(_:processID:firstDescriptor:)``.
    static func attach() throws(CommandFailure) -> ServiceManager {
        let result = try ServiceManager(Live.environment, processID: getpid())
        for variable in variables { unsafe unsetenv(variable) }
        return result
    }

    /// What the server is told to listen on: the first socket that was passed.
    var address: ListenAddress? { sockets.first?.address }

    /// Says it, if there is a socket. The log says it when that does not work.
    func notify(_ message: NotifySocket.Message, logger: Logger) {
        guard let code = socket?.send(message), code != 0 else { return }
        logger.error(
            "the service manager could not be told: if it waits for that, it will stop the server",
            metadata: ["message": "\(message)", "error": "\(unsafe String(cString: strerror(code)))"])
    }
}
