internal import KeyturnWire
internal import Model

/// Whom messages of the pages can reach: by mail, by text message, or not at all.
struct DeliveryReach: Sendable {
    /// What an address is, as forms ask for it.
    enum Kind: Sendable, CaseIterable {
        case email, phone, emailOrPhone
    }

    /// What can be asked for where an address is needed; `nil`: nothing can be sent.
    let kind: Kind?

    init(_ channels: Set<DeliveryMethod>) {
        switch (channels.contains(.email), channels.contains(.sms)) {
        case (true, true): kind = .emailOrPhone
        case (true, false): kind = .email
        case (false, true): kind = .phone
        case (false, false): kind = nil
        }
    }

    /// How a message travels to whoever is named; `nil`: not at all. It depends on what was typed alone, so that it tells
    /// nothing about whom there is.
    func channel(to identifier: Identifier) -> DeliveryMethod? {
        switch identifier.kind {
        case .email: isReached(.email) ? .email : nil
        case .phone: isReached(.phone) ? .sms : nil
        // The account has an address, perhaps.
        case .username: isReached(.email) ? .email : isReached(.phone) ? .sms : nil
        }
    }

    private func isReached(_ wanted: Kind) -> Bool { kind == wanted || kind == .emailOrPhone }
}

extension DeliveryReach.Kind {
    /// One button to sign in without a password: a code, in mail with a link.
    func signInValues(_ strings: Strings) -> [String: Any] {
        ["or": strings.proof.or, "code": strings.proof.sendCodeOrLink(self)]
    }

    /// Two buttons to sign up without a password: a code and a link.
    func signUpValues(_ strings: Strings) -> [String: Any] {
        [
            "or": strings.proof.orWithoutPassword, "code": strings.proof.sendCode(self),
            "link": strings.proof.sendLink(self),
        ]
    }
}
