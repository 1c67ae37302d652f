internal import Identity
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire
internal import Model
internal import SignIn

/// The passkey service for sites with their own user database: pages and apps run ceremonies, backends redeem tokens.
struct SitePasskeyRoutes: Sendable {
    let frame: SitePasskeyMiddleware

    private var passkeys: SitePasskeys { frame.services.sitePasskeys }

    var routes: [Route] { ceremonies + backend }

    private var ceremonies: [Route] {
        frame.pageRoutes(.attestationOptions, AttestationOptionsRequest.self) { request, page in
            try await passkeys.beginRegistration(
                at: page.party, isUpgrade: request.isUpgrade ?? false, from: page.address
            ).json
        }
            + frame.pageRoutes(.attestationProcess, AttestationProcessRequest.self) { request, page in
                try await passkeys.finishRegistration(request.credential, at: page.party).json
            }
            + frame.pageRoutes(.assertionOptions, AssertionOptionsRequest.self) { request, page in
                try await passkeys.beginAuthentication(request.user, at: page.party, from: page.address).json
            }
            + frame.pageRoutes(.assertionProcess, AssertionProcessRequest.self) { request, page in
                try await passkeys.finishAuthentication(request.credential, request.user, at: page.party).json
            }
    }

    private var backend: [Route] {
        frame.backendRoutes(.credentialCreate, CredentialCreateRequest.self) { request, backend in
            try await passkeys.attach(
                request.token, userID: request.userID, username: request.username, at: backend.party
            )
            .json
        }
            + frame.backendRoutes(.authVerify, AuthVerifyRequest.self) { request, backend in
                try await passkeys.verify(request.token, at: backend.party).json
            }
            + frame.backendRoutes(.credentialList, CredentialListRequest.self) { request, backend in
                try await list(request, backend.party)
            }
            + frame.backendRoutes(.credentialUpdate, CredentialUpdateRequest.self) { request, backend in
                try await passkeys.change(
                    PasskeyID(rawValue: request.id), name: request.name, isActive: request.isActive, at: backend.party
                ).json
            }
            + frame.backendRoutes(.credentialDelete, CredentialDeleteRequest.self) { request, backend in
                try await passkeys.remove(PasskeyID(rawValue: request.id), at: backend.party)
                return ["id": .string(request.id)]
            }
            + frame.backendRoutes(.credentialImport, CredentialImportRequest.self) { request, backend in
                let stored = try await passkeys.importPasskeys(request.credentials, at: backend.party)
                return PasskeyCredentialList(credentials: stored.map(\.answer)).json
            }
    }

    /// The credentials, and for each user handle what the page may tell the user's devices
    /// (`PublicKeyCredential.signalAllAcceptedCredentials`).
    private func list(_ request: CredentialListRequest, _ party: RelyingParty) async throws -> JSONValue {
        let stored = try await passkeys.passkeys(of: request.user, at: party)
        let handles = Dictionary(grouping: stored) { Base64URL.encode($0.record.userHandle) }
        let signals = handles.sorted { $0.key < $1.key }.map { handle, passkeys in
            AcceptedPasskeys(
                relyingPartyID: party.id, userHandle: handle,
                credentialIDs: passkeys.map { Base64URL.encode($0.record.id) })
        }
        return PasskeyCredentialList(credentials: stored.map(\.answer), signals: signals).json
    }
}
