package import KeyturnBase

/// Answers that no service gave: those of captive portals, proxies and firewalls on the way to it.
extension HTTPResponse {
    /// Whether something between this device and the service has answered. The endpoints that are asked here answer JSON and
    /// never redirect, and 407 and 511 are for the network alone (RFC 9110 §15.5.8, RFC 6585 §6).
    package var isIntercepted: Bool {
        switch status {
        case 300..<400, 407, 511: true
        case 200..<300, 401, 403: isPage
        default: false
        }
    }

    /// Whether the body is a page for a browser.
    package var isPage: Bool {
        let type = header("Content-Type")?.lowercased() ?? ""
        if type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") { return true }
        // White space, and the mark that some editors write first.
        let isSkipped: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        return body.prefix(1_024).drop(while: isSkipped).first == UInt8(ascii: "<")
    }
}

extension AuthError {
    /// What an intercepted answer means: the service was not reached, and has said nothing.
    package static func intercepted(_ answer: ServerAnswer) -> AuthError {
        AuthError(
            .unavailable,
            "something between this device and the service answered, such as the sign-in page of a network or a proxy",
            server: answer)
    }
}
