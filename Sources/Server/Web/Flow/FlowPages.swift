internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The last page of a flow. Its script fetches the session, and gives it to the app.
struct FlowEndPage: FormPage {
    static let template = PageTemplate.flowEnd
    static let name = "flow-end"
    /// Its script makes one request.
    static let polls = true
    let form: PageForm

    func title(_ strings: Strings) -> String { strings[FlowStrings.self].doneHeading }

    func values(_ strings: Strings) -> [String: Any] {
        form.values(["heading": title(strings), "lead": strings[FlowStrings.self].doneLead, "isDone": true])
    }
}

/// The page of a user who cancelled a flow. Its script tells the app.
struct FlowCancelledPage: Page {
    static let template = PageTemplate.flowEnd
    static let name = "flow-cancelled"

    func title(_ strings: Strings) -> String { strings[FlowStrings.self].cancelledHeading }

    func values(_ strings: Strings) -> [String: Any] {
        ["heading": title(strings), "lead": strings[FlowStrings.self].cancelledLead]
    }
}

/// The page of a flow from which the app opens a provider.
struct FlowHandoffPage: FormPage {
    static let template = PageTemplate.flowHandoff
    static let name = "flow-provider"
    let form: PageForm
    let connection: Connection
    let loginHint: String?
    /// What the system's browser opens.
    let startURI: String
    /// What a sheet of the system is asked with; `nil`: there is none.
    let native: NativeSocialStartAnswer?
    /// Where the user goes who cancelled at the provider.
    let cancelledURI: String
    let failedURI: String

    func title(_ strings: Strings) -> String { strings[FlowStrings.self].providerHeading(connection.name) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[FlowStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": text.providerLead, "here": text.providerHere, "back": text.back,
            "connection": connection.id, "request": String(decoding: request.serialized, as: UTF8.self),
            "cancelledURI": cancelledURI, "failedURI": failedURI,
        ]
        values["hint"] = loginHint
        return form.values(values)
    }

    /// What the page's script tells the app.
    private var request: JSONValue {
        var members: [String: JSONValue] = [
            "connection": .string(connection.id),
            "web": [
                "type": .string(connection.tenantID == nil ? "oauthWeb" : "sso"),
                "payload": ["startUrl": .string(startURI)],
            ],
        ]
        if let native { members["native"] = ["type": "oauthNative", "payload": ["start": native.json]] }
        return .object(members)
    }
}
