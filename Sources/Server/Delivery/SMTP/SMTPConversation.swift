internal import Foundation
internal import KeyturnBase
internal import NIOSSL

/// What is said to a mail server, step by step (RFC 5321, RFC 3207, RFC 4954).
///
/// A refusal of the mail itself (a 5xx after `MAIL`, `RCPT` or `DATA`) is final. Everything that says something about
/// the server or about our account there (greeting, `EHLO`, TLS, authentication) can be mended, so it is tried again.
struct SMTPConversation: Sendable {
    let connection: SMTPConnection
    let settings: SMTPSettings
    /// There unless the connection shall stay unprotected.
    let tls: NIOSSLContext?

    /// Ends with the mail in the server's hands, or throws.
    func deliver(_ mail: [UInt8], from: MailAddress, to: MailAddress) async throws(SMTPProblem) {
        let greeting = try await connection.exchange(nil, seconds: DeliveryLimits.greetingSeconds)
        guard greeting.code == 220 else { throw .temporary("smtp \(greeting.code) as greeting") }
        var offers = try await hello()
        if settings.security == .startTLS {
            guard let tls, offers.has("STARTTLS") else { throw .temporary("smtp without STARTTLS") }
            let reply = try await say("STARTTLS")
            guard reply.code == 220 else { throw .temporary("smtp \(reply.code) after STARTTLS") }
            try await connection.secure(tls)
            // What was offered before TLS does not count: it was not protected.
            offers = try await hello()
        }
        try await authenticate(offers)
        try await hand(over: mail, from: from, to: to, offers)
        // The mail is theirs; whether they still say goodbye changes nothing.
        _ = try? await say("QUIT")
    }

    private func hello() async throws(SMTPProblem) -> SMTPOffers {
        let reply = try await say("EHLO \(connection.localName)")
        if reply.code == 250 { return SMTPOffers(reply) }
        guard (500...504).contains(reply.code) else { throw .temporary("smtp \(reply.code) after EHLO") }
        let old = try await say("HELO \(connection.localName)")
        guard old.code == 250 else { throw .temporary("smtp \(old.code) after HELO") }
        return SMTPOffers(SMTPReply(code: 250, lines: []))
    }

    private func authenticate(_ offers: SMTPOffers) async throws(SMTPProblem) {
        guard let username = settings.username, let password = settings.password?.exposed() else { return }
        guard settings.security != .none else { throw .temporary("smtp password without TLS") }
        let reply: SMTPReply
        if offers.authentication.contains("PLAIN") {
            reply = try await say("AUTH PLAIN \(Self.base64("\0\(username)\0\(password)"))")
        } else if offers.authentication.contains("LOGIN") {
            try await expect(334, say("AUTH LOGIN"), "AUTH LOGIN")
            try await expect(334, say(Self.base64(username)), "AUTH LOGIN")
            reply = try await say(Self.base64(password))
        } else {
            throw .temporary("smtp without AUTH PLAIN or LOGIN")
        }
        guard reply.code == 235 else { throw .temporary("smtp \(reply.code) after AUTH") }
    }

    private func expect(_ code: Int, _ reply: SMTPReply, _ step: String) async throws(SMTPProblem) {
        guard reply.code == code else { throw .temporary("smtp \(reply.code) after \(step)") }
    }

    private func hand(over mail: [UInt8], from: MailAddress, to: MailAddress, _ offers: SMTPOffers)
        async throws(SMTPProblem)
    {
        var parameters = ""
        if from.needsUTF8 || to.needsUTF8 {
            guard offers.has("SMTPUTF8"), offers.has("8BITMIME") else { throw .permanent("smtp without SMTPUTF8") }
            parameters += " BODY=8BITMIME SMTPUTF8"
        }
        if offers.has("SIZE") { parameters += " SIZE=\(mail.count)" }
        try Self.accept(try await say("MAIL FROM:<\(from.text)>\(parameters)"), "MAIL FROM")
        try Self.accept(try await say("RCPT TO:<\(to.text)>"), "RCPT TO")
        let go = try await say("DATA")
        guard go.code == 354 else {
            try Self.accept(go, "DATA")
            throw .temporary("smtp \(go.code) after DATA")
        }
        let reply = try await connection.exchange(DotStuffing.apply(mail), seconds: DeliveryLimits.dataSeconds)
        try Self.accept(reply, "the mail")
    }

    private static func accept(_ reply: SMTPReply, _ step: String) throws(SMTPProblem) {
        switch reply.code {
        case 200...399: return
        // These say that our account must do something first, and nothing of this mail.
        case 530, 534, 535, 538: throw .temporary("smtp \(reply.code) after \(step)")
        case 500...599: throw .permanent("smtp \(reply.code) after \(step)")
        default: throw .temporary("smtp \(reply.code) after \(step)")
        }
    }

    /// One line. Nothing that could end it can get here: addresses and settings were checked, the rest is base64.
    private func say(_ line: String) async throws(SMTPProblem) -> SMTPReply {
        guard !line.utf8.contains(where: { $0 == 0x0d || $0 == 0x0a || $0 == 0 }) else {
            throw .permanent("smtp command of two lines")
        }
        return try await connection.exchange(Array("\(line)\r\n".utf8), seconds: DeliveryLimits.commandSeconds)
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }
}

/// What a server said that it can do, after `EHLO`.
struct SMTPOffers: Sendable {
    private var keywords: Set<String> = []
    private(set) var authentication: Set<String> = []

    init(_ reply: SMTPReply) {
        for line in reply.lines.dropFirst() {
            let words = line.uppercased().split(whereSeparator: { $0 == " " || $0 == "=" }).map(String.init)
            guard let keyword = words.first else { continue }
            keywords.insert(keyword)
            if keyword == "AUTH" { authentication.formUnion(words.dropFirst()) }
        }
    }

    func has(_ keyword: String) -> Bool {
        keywords.contains(keyword)
    }
}
