internal import KeyturnBase
internal import KeyturnWire

extension OpenIDProvider {
    nonisolated func renewsIDToken(of record: SessionRecord) -> Bool { service.wire.authgear != nil }

    /// Has the ID token of a session issued anew for its access token (Authgear's `id-token` grant). `auth_time` stays.
    ///
    /// - Throws: `server.refused` with status 401 if the access token is not good.
    func renewIDToken(of record: SessionRecord) async throws(AuthError) -> RenewedIDToken {
        var form = FormParameters(["grant_type": GrantType.idToken.rawValue])
        form.append(AuthgearNames.deviceInfo, deviceInfo)
        for parameter in Self.deviceSecret(of: record) { form.append(parameter.name, parameter.value) }
        var key: DPoPProofMaker.Key?
        if let thumbprint = record.keyThumbprint { key = try await proofs.key(thumbprint) }
        let json = try await post(
            form, to: try await tokenEndpoint(), try await metadata(), key: key, presenting: record.accessToken,
            timeoutSeconds: Limits.requestSeconds)
        guard let compact = TokenGrant.idToken(json["id_token"]) else {
            throw AuthError(.protocolViolation, "the answer has no ID token")
        }
        return RenewedIDToken(
            compact: compact, deviceSecret: TokenGrant.token(json[AuthgearNames.deviceSecret]))
    }
}
