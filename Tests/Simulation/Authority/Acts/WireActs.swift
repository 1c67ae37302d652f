import Identity
import KeyturnBase
import KeyturnWire
import Model
import SignIn

/// Sign-ups and sign-ins on the methods' wire.
enum WireActs {
    /// `password/signup`.
    static func signUpByPassword(
        _ person: Person, as loginID: String, contact: String? = nil, named name: String? = nil
    )
        -> AuthorityAct
    {
        var label = "password/signup \(loginID)"
        if let contact { label += " with the contact \(contact)" }
        if let name { label += " named \(name)" }
        return AuthorityAct(name: label, person: person) { scene in
            let proof = try await scene.services.methods.passwords.signUp(
                loginID: loginID, password: Secret(person.password), details: SignUpDetails(name: name, email: contact),
                from: scene.network)
            try await scene.open(proof)
        }
    }

    /// `totp/signup`, and its first code.
    static func signUpByAuthenticator(_ person: Person, as loginID: String, contact: String? = nil) -> AuthorityAct {
        AuthorityAct(name: "totp/signup \(loginID) \(contact ?? "")", person: person) { scene in
            let answer = try await scene.services.methods.authenticators.signUp(
                loginID: loginID, details: SignUpDetails(email: contact), from: scene.network)
            scene.holdings.authenticators.insert(answer.key.exposed())
            let network = scene.network
            let services = scene.services
            let proof = try await scene.withCode(of: answer.key.exposed()) { code in
                try await services.methods.authenticators.verify(loginID: loginID, code: code, from: network)
            }
            try await scene.open(proof)
        }
    }

    /// `password/signin` with a person's password.
    static func signInByPassword(_ person: Person, as loginID: String, with owner: Person) -> AuthorityAct {
        AuthorityAct(
            name: "password/signin \(loginID) with \(owner.rawValue)'s password", person: person, timesMax: 1,
            isPossible: { person == owner || $0.holdings[person]?.passwords.contains(owner) == true }
        ) { scene in
            let proof = try await scene.services.methods.passwords.signIn(
                loginID: loginID, password: Secret(owner.password), from: scene.network)
            try await scene.open(proof)
        }
    }

    /// `otp/…/email`: a code is sent.
    static func sendCode(_ person: Person, _ intent: VerificationRequest.Intent, to loginID: String) -> AuthorityAct {
        AuthorityAct(name: "otp/\(Self.word(intent)) \(loginID)", person: person) { scene in
            _ = try await scene.services.methods.codes.send(
                VerificationRequest(intent, loginID: loginID, method: .email, from: scene.network))
        }
    }

    /// `magiclink/…/email`: a link is sent.
    static func sendLink(_ person: Person, _ intent: VerificationRequest.Intent, to loginID: String) -> AuthorityAct {
        AuthorityAct(name: "magiclink/\(Self.word(intent)) \(loginID)", person: person) { scene in
            _ = try await scene.services.methods.magicLinks.send(
                VerificationRequest(intent, loginID: loginID, method: .email, from: scene.network))
        }
    }

    private static func word(_ intent: VerificationRequest.Intent) -> String {
        switch intent {
        case .signIn: "signin"
        case .signUp(let details): "signup\(details.email.map { " with the contact \($0)" } ?? "")"
        case .signUpOrIn: "signup-in"
        case .passwordReset: "reset"
        }
    }

    /// `otp/verify/email` with the newest code of a mailbox.
    ///
    /// - Parameter session: which of the person's sessions is presented, the newest is 0; `nil`: none.
    static func enterCode(_ person: Person, of mailbox: Person, as loginID: String?, in session: Int?) -> AuthorityAct {
        let name = "otp/verify \(loginID ?? "one's own login ID") with the code in \(mailbox.rawValue)'s mailbox"
        return AuthorityAct(
            name: name + (session.map { ", showing session \($0)" } ?? ""), person: person, timesMax: 2,
            isPossible: { state in state.letters.contains { $0.to == mailbox && $0.code != nil } }
        ) { scene in
            let shown = try await scene.presentedIfGood(session)
            let name: String
            if let loginID {
                name = loginID
            } else {
                name = try scene.loginID(of: try await scene.presented(session ?? 0))
            }
            let letter = try scene.take(from: mailbox) { $0.code != nil }
            let proof = try await scene.services.methods.codes.verify(
                loginID: name, code: Secret(letter.code ?? ""), method: .email, in: shown, from: scene.network)
            try await scene.open(proof, shown: shown)
        }
    }

    /// `magiclink/verify` with the newest link of a mailbox.
    static func openLink(_ person: Person, of mailbox: Person, in session: Int?) -> AuthorityAct {
        AuthorityAct(
            name: "magiclink/verify with the link in \(mailbox.rawValue)'s mailbox"
                + (session.map { ", showing session \($0)" } ?? ""),
            person: person, timesMax: 2,
            isPossible: { state in state.letters.contains { $0.to == mailbox && $0.link != nil } }
        ) { scene in
            let shown = try await scene.presentedIfGood(session)
            let letter = try scene.take(from: mailbox) { $0.link != nil }
            let proof = try await scene.services.methods.magicLinks.verify(
                Secret(letter.link ?? ""), in: shown, from: scene.network)
            try await scene.open(proof, shown: shown)
        }
    }
}
