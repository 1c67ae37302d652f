internal import NIOSSL

/// Sends mails through one mail server, each over a connection of its own.
public struct SMTPTransport: MessageTransport {
    /// Why the settings cannot work, in a sentence that says what to do.
    public enum SettingsProblem: Error, Hashable, Sendable, CustomStringConvertible {
        case passwordWithoutTLS
        case authorities(UnreadableAuthorities)

        public var description: String {
            switch self {
            case .passwordWithoutTLS: "a password is sent under TLS only: use starttls or tls"
            case .authorities(let problem): problem.description
            }
        }
    }

    private let settings: SMTPSettings
    private let tls: NIOSSLContext?
    private let totalSeconds: Int64

    /// - Throws: ``SettingsProblem``.
    public init(_ settings: SMTPSettings) throws(SettingsProblem) {
        try self.init(settings, totalSeconds: DeliveryLimits.totalSeconds)
    }

    init(_ settings: SMTPSettings, totalSeconds: Int64) throws(SettingsProblem) {
        guard settings.password == nil || settings.security != .none else { throw .passwordWithoutTLS }
        self.settings = settings
        self.totalSeconds = totalSeconds
        do {
            tls = settings.security == .none ? nil : try ClientTLS.context(authoritiesFile: settings.authoritiesFile)
        } catch {
            throw .authorities(error)
        }
    }

    public func send(_ message: RenderedMessage) async -> DeliveryOutcome {
        guard let to = MailAddress(message.to) else { return .permanent(reason: "not an address of a mail") }
        let mail = Mail(from: settings.from, to: to, message: message).bytes
        do throws(SMTPProblem) {
            let connection = try await SMTPConnection.open(
                host: settings.host, port: settings.port, tls: settings.security == .implicitTLS ? tls : nil,
                totalSeconds: totalSeconds)
            defer { connection.close() }
            let conversation = SMTPConversation(connection: connection, settings: settings, tls: tls)
            try await conversation.deliver(mail, from: settings.from.address, to: to)
            return .sent
        } catch {
            return error.outcome
        }
    }
}
