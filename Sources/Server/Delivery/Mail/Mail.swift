internal import KeyturnBase
internal import Model

/// A mail as it travels: headers, a text, and the same as a page (RFC 5322, RFC 2046 §5.1.4).
struct Mail: Sendable {
    let from: Mailbox
    let to: MailAddress
    let message: RenderedMessage

    /// Lines end with CRLF; none is longer than 998 bytes; all of it is ASCII, addresses excepted that are not.
    var bytes: [UInt8] {
        // No line of quoted-printable can hold "=_", so no text can end a part.
        let boundary = "=_\(message.id.text)"
        var lines =
            [
                "From: \(from.header)", "To: \(to.text)", "Subject: \(HeaderText.unstructured(message.subject))",
                "Date: \(MailDate.text(message.createdAt))", "Message-ID: <\(message.id.text)@\(from.address.domain)>",
                "MIME-Version: 1.0", "Content-Language: \(message.language)",
                // Asks for no automatic answers, such as holiday notices (RFC 3834 §5).
                "Auto-Submitted: auto-generated",
                "Content-Type: multipart/alternative;\r\n boundary=\"\(boundary)\"", "",
            ].joined(separator: "\r\n") + "\r\n"
        var parts = [("plain", message.text)]
        if let html = message.html { parts.append(("html", html)) }
        for (subtype, content) in parts {
            lines += "--\(boundary)\r\nContent-Type: text/\(subtype); charset=utf-8\r\n"
            lines += "Content-Transfer-Encoding: quoted-printable\r\n\r\n"
            lines += String(decoding: QuotedPrintable.encode(content), as: UTF8.self)
        }
        lines += "--\(boundary)--\r\n"
        return Array(lines.utf8)
    }
}
