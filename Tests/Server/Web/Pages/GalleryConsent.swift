import KeyturnBase
import Model

@testable import Web

/// What people are asked to agree to.
extension Gallery {
    var consent: [Specimen] {
        func page(
            _ scopes: [String], _ details: [[String: JSONValue]] = [], claims: Set<String> = [],
            resources: [NamedResource] = [], isUnverified: Bool = false
        ) -> ConsentPage {
            ConsentPage(
                transaction: untrusted("sealed"), csrf: untrusted("mark"), clientName: untrusted("Harbour Tickets"),
                policyURI: untrusted("https://harbour.example/privacy"),
                tosURI: untrusted("https://harbour.example/terms"), userName: untrusted("Maria da Silva"),
                scopes: scopes.map(untrusted), claims: claims, resources: resources, details: details,
                isUnverified: isUnverified,
                destination: untrusted("https://harbour.example"), redirectOrigins: [])
        }
        let payment: [String: JSONValue] = [
            "type": text("payment_initiation"), "actions": ["initiate", text("cancel")],
            "locations": [text("https://bank.example/payments")], "creditorName": text("Harbour Ferries Ltd"),
            "instructedAmount": ["currency": "EUR", "amount": text("123.50")],
            "creditorAccount": ["iban": text("DE02100100109307118603")], "isRecurring": false, "note": .null,
        ]
        let account: [String: JSONValue] = [
            "type": text("https://bank.example/details/account"), "identifier": text("DE02 1001 0010 9307 1186 03"),
            "datatypes": ["balance", "transactions"], "privileges": ["owner"], "days": 90,
        ]
        return [
            ("consent", page(["openid", "profile", "email"])),
            (
                "consent-claims",
                page(
                    ["openid"],
                    claims: [
                        "name", "email", "email_verified", "phone_number", "address", untrusted("department"), "groups",
                    ])
            ),
            (
                "consent-resources",
                page(
                    ["openid"],
                    resources: [
                        NamedResource(uri: untrusted("https://api.harbour.example"), name: untrusted("Harbour Berths")),
                        NamedResource(uri: untrusted("https://other.example/files")),
                    ])
            ),
            ("continue", continuation()), ("continue-unverified", continuation(isUnverified: true)),
            ("consent-unverified", page(["openid", "profile"], isUnverified: true)),
            ("consent-details", page(["openid"], [payment, account])),
            ("consent-details-only", page([], [payment])), ("consent-type-only", page([], [["type": text("payment")]])),
        ]
    }

    private func continuation(isUnverified: Bool = false) -> ContinuationPage {
        ContinuationPage(
            form: PageForm(action: "/continue", transaction: untrusted("sealed"), csrf: untrusted("mark")),
            appName: untrusted("Harbour Tickets"), userName: untrusted("Maria da Silva"), isUnverified: isUnverified)
    }

    private func text(_ plain: String) -> JSONValue { .string(untrusted(plain)) }
}
