internal import KeyturnBase
public import KeyturnWire
internal import Model

/// `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 §3.4).
public enum DeviceCodeGrant: TokenGrant {
    public static let type = GrantType.deviceCode
    public static let parameters: Set<String> = ["device_code", "resource"]
    public static let admission = GrantAdmission(isForUnverifiedClients: true)

    public static func answer(_ request: TokenGrantRequest, at endpoint: TokenEndpoint) async throws -> TokenResponse {
        try await awaited.redeem(
            request.form, client: request.client, binding: request.binding, at: endpoint
        ) { poll, idleSeconds, now in
            try await endpoint.stores.devices.poll(poll, idleSeconds: idleSeconds, at: now)
        }
    }

    private static let awaited = AwaitedGrant(
        parameter: "device_code", repeated: .deviceRepeated, replayed: .deviceReplayed,
        pending: "the user has not decided yet: ask again after the interval", denied: "the user refused",
        expired: "the device code has expired: codes live for \(Limits.deviceCodeSeconds) seconds")
}
