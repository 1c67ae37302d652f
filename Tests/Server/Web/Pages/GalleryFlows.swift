import KeyturnBase
import KeyturnWire
import Model
@testable import Web

extension Gallery {
    /// Pages of flows in web views of apps.
    var flows: [Specimen] {
        let time = UnixTime(rawValue: 0)
        let connection = Connection(
            id: "acme", name: untrusted("Acme"),
            settings: .openID(OpenIDConnectionSettings(issuer: "https://provider.test", clientID: "client")),
            createdAt: time, updatedAt: time)
        let native = NativeSocialStartAnswer(
            clientID: untrusted("client"), stateID: untrusted("state"), nonce: untrusted("nonce"), isImplicit: true)
        return [
            ("flow-end", FlowEndPage(form: form("/flow/result"))), ("flow-cancelled", FlowCancelledPage()),
            (
                "flow-provider",
                FlowHandoffPage(
                    form: form("/flow/provider"), connection: connection, loginHint: untrusted("maria@example.test"),
                    startURI: untrusted("https://id.example/federation?ticket=t"), native: native,
                    cancelledURI: untrusted("/login?transaction=sealed"),
                    failedURI: untrusted("/login?transaction=sealed"))
            ),
        ]
    }
}
