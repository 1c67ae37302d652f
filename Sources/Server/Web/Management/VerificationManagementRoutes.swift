internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// The management of codes, links, authenticator apps, passwords and passkeys.
struct VerificationManagementRoutes: Sendable {
    let frame: ManagementMiddleware

    private var methods: SignInMethods { frame.services.methods }
    private var access: ManagedUserAccess { frame.services.managedUserAccess }

    var routes: [Route] {
        [
            frame.route(.post, "/v1/mgmt/tests/generate/otp", run: code),
            frame.route(.post, "/v1/mgmt/tests/generate/magiclink", run: magicLink),
            frame.route(.post, "/v1/mgmt/tests/generate/enchantedlink", run: enchantedLink),
            frame.route(.post, "/v1/mgmt/user/signin/embeddedlink", run: embeddedSignIn),
            frame.route(.post, "/v1/mgmt/user/signup/embeddedlink", run: embeddedSignUp),
            frame.route(.post, "/v1/mgmt/user/password/set/temporary") { try await set($0, mustReplace: true) },
            frame.route(.post, "/v1/mgmt/user/password/set/active", for: .setPassword) {
                try await set($0, mustReplace: false)
            },
            // The older path, whose body says which kind of password it is.
            frame.route(.post, "/v1/mgmt/user/password/set") { request in
                try await set(request, mustReplace: !(try request.body.flag("setActive") ?? false))
            },
            frame.route(.post, "/v1/mgmt/user/password/expire") { request in
                try await access.expirePassword(
                    of: try request.body.requiredText("loginId"), by: request.actor)
                return [:]
            },
            frame.route(.post, "/v1/mgmt/user/totp/delete") { request in
                _ = try await access.removeAuthenticators(of: try await user(request), by: request.actor)
                return [:]
            },
            frame.route(.post, "/v1/mgmt/user/passkeys/delete") { request in
                try await access.removePasskeys(of: try await user(request), by: request.actor)
                return [:]
            },
            frame.route(.post, "/v1/mgmt/user/passkeys/list") { request in
                let stored = try await methods.passkeys.passkeys(of: try await user(request).user.id)
                return ["passkeys": .array(stored.map(passkey))]
            },
            frame.route(.post, "/v1/mgmt/user/passkey/delete") { request in
                let id = PasskeyID(rawValue: try request.body.requiredText("credentialId"))
                guard try await access.removePasskey(id, of: try await user(request), by: request.actor) else {
                    throw MethodProblem.invalidArguments.saying("The user has no such passkey")
                }
                return [:]
            },
            frame.route(.post, "/v1/mgmt/user/recovery-codes/delete") { request in
                try await access.removeRecoveryCodes(of: try await user(request), by: request.actor)
                return [:]
            },
        ]
    }

    /// A passkey as management lists it: its identifiers, and what helps its owner to recognise it.
    private func passkey(_ stored: StoredPasskey) -> JSONValue {
        var members = stored.answer.json.objectValue ?? [:]
        members["credentialId"] = members["id"]
        members["rpId"] = .string(stored.relyingParty)
        return .object(members)
    }

    private func code(_ request: ManagementRequest) async throws -> JSONValue {
        try require(request)
        let loginID = try request.body.requiredText("loginId")
        let code = try await methods.testUsers.code(
            loginID: loginID, method: try delivery(request), options: try options(request))
        return ["code": .string(code.exposed()), "loginId": .string(loginID)]
    }

    private func magicLink(_ request: ManagementRequest) async throws -> JSONValue {
        try require(request)
        let loginID = try request.body.requiredText("loginId")
        let link = try await methods.testUsers.magicLink(
            loginID: loginID, method: try delivery(request), redirectURL: try redirect(request),
            options: try options(request))
        return ["link": .string(link.exposed()), "loginId": .string(loginID)]
    }

    private func enchantedLink(_ request: ManagementRequest) async throws -> JSONValue {
        try require(request)
        let loginID = try request.body.requiredText("loginId")
        let made = try await methods.testUsers.enchantedLink(
            loginID: loginID, method: try delivery(request), redirectURL: try redirect(request),
            options: try options(request))
        return [
            "link": .string(made.link.exposed()), "loginId": .string(loginID),
            "pendingRef": .string(made.pendingRef.exposed()),
        ]
    }

    private func embeddedSignIn(_ request: ManagementRequest) async throws -> JSONValue {
        try require(request)
        let options = LoginOptions(customClaims: try request.body.object("customClaims"))
        let token = try await methods.embeddedLinks.signIn(
            loginID: request.body.requiredText("loginId"), options: options, seconds: try seconds(request))
        return ["token": .string(token.exposed())]
    }

    private func embeddedSignUp(_ request: ManagementRequest) async throws -> JSONValue {
        try require(request)
        let isVerified = try request.body.flag("emailVerified") ?? request.body.flag("phoneVerified") ?? false
        let token = try await methods.embeddedLinks.signUp(
            loginID: request.body.requiredText("loginId"), details: SignUpDetails(request.body.body("user")),
            isVerified: isVerified, options: try options(request), seconds: try seconds(request))
        return ["token": .string(token.exposed())]
    }

    /// A code or a link that is answered, not sent, opens a session.
    private func require(_ request: ManagementRequest) throws(Denial) {
        try frame.services.project.rulebook.require(
            .openSessions, to: request.actor.caller, on: .project(tenant: nil))
    }

    private func set(_ request: ManagementRequest, mustReplace: Bool) async throws -> JSONValue {
        try await access.setPassword(
            of: request.body.requiredText("loginId"), to: request.body.requiredSecret("password"),
            mustReplace: mustReplace, by: request.actor)
        return [:]
    }

    private func user(_ request: ManagementRequest) async throws -> Account {
        guard let loginID = Identifier(loginID: try request.body.requiredText("loginId")),
            let account = try await frame.services.stores.users.account(loginID)
        else { throw MethodProblem.managementUserNotFound }
        return account
    }

    /// `Embedded` means no delivery. It is taken as mail, which the user may never read.
    private func delivery(_ request: ManagementRequest) throws(MethodProblem) -> DeliveryMethod {
        let name = try request.body.text("deliveryMethod")?.lowercased() ?? "email"
        guard let method = name == "embedded" ? .email : DeliveryMethod.allCases.first(where: { $0.rawValue == name })
        else {
            throw .invalidArguments.saying("The deliveryMethod field is not known")
        }
        return method
    }

    private func options(_ request: ManagementRequest) throws(MethodProblem) -> LoginOptions {
        try LoginOptions(request.body.body("loginOptions"))
    }

    private func redirect(_ request: ManagementRequest) throws(MethodProblem) -> String? {
        try request.body.text("URI", "redirectUrl", "redirectURL")
    }

    private func seconds(_ request: ManagementRequest) throws(MethodProblem) -> Int64? {
        let seconds = try request.body.integer("timeout")
        return seconds == 0 ? nil : seconds
    }
}
