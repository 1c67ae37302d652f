internal import Authority
internal import Account
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import Texts

/// One client: what it registered, how it is tried, and what can be done to it.
struct ConsoleClientPage: ConsolePage {
    enum Notice: String, Sendable {
        case registered, changed
    }

    enum Problem: Sendable {
        /// The identifier was not typed again.
        case confirmation
        case refused(String)
    }

    static let template = PageTemplate.consoleClient
    static let section = ConsoleSection.clients
    let visitor: ConsoleVisitor
    let form: PageForm
    let facts: ConsoleClientFacts
    /// By the names of RFC 7591.
    let metadata: [String: JSONValue]
    let liveGrants: Int
    let trial: ClientTrial
    /// Of security events, if it is a receiver of them.
    let streams: [SignalStreamState]
    var problem: Problem?
    var notice: Notice?

    private var client: Client { facts.client }

    func title(_ strings: Strings) -> String { client.name }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleClientStrings.self]
        let mayChange = visitor.may(.operator) && !client.isFromConfiguration
        var values: [String: Any] = [
            "heading": client.name, "id": client.id, "text": text, "clients": ConsoleSection.clients.path,
            "back": strings[ConsoleClientsStrings.self].title, "facts": mainFacts(strings),
            "others": otherFacts, "hasOthers": !otherFacts.isEmpty, "mayChange": mayChange,
            "isFromFile": client.isFromConfiguration,
            "redirectURIs": client.metadata.redirectURIs ?? [],
            "hasRedirectURIs": !(client.metadata.redirectURIs ?? []).isEmpty,
            "logoutURIs": client.metadata.postLogoutRedirectURIs ?? [],
            "hasLogoutURIs": !(client.metadata.postLogoutRedirectURIs ?? []).isEmpty,
            "editURI": ConsoleMiddleware.address(ConsoleRoutes.editClientPath, ["id": client.id]),
            "mayRotate": mayChange && client.hasSharedSecret, "removeSure": text.removeSure(liveGrants),
            "typeID": text.typeID(client.id), "canTry": trial.signIn != nil || trial.ownToken != nil,
        ]
        if let signIn = trial.signIn {
            values["signIn"] = ["address": signIn.address, "redemption": signIn.redemption]
        }
        values["ownToken"] = trial.ownToken
        values["streams"] = streams.map { stream in row(stream, text) }
        values["hasStreams"] = !streams.isEmpty
        values["problem"] = problem.map { problem in
            switch problem {
            case .confirmation: text.wrongID
            case .refused(let sentence): sentence
            }
        }
        if let notice { values["notice"] = text.notice(notice) }
        return form.values(values)
    }

    private func mainFacts(_ strings: Strings) -> [[String: String]] {
        let text = strings[ConsoleClientsStrings.self]
        let own = strings[ConsoleClientStrings.self]
        let console = strings[ConsoleStrings.self]
        return [
            (text.id, client.id), (text.kind, facts.kind(text)), (text.authentication, facts.authentication(text)),
            (text.grantTypes, facts.grantTypes(text).joined(separator: ", ")),
            (own.scope, client.metadata.scope ?? own.everyScope),
            (text.firstParty, client.isFirstParty ? console.yes : console.no), (text.origin, facts.origin(strings)),
            (own.liveGrants, own.count(liveGrants)),
        ].map { ["name": $0.0, "value": $0.1] }
    }

    private func row(_ state: SignalStreamState, _ text: ConsoleClientStrings) -> [String: Any] {
        let stream = state.stream
        return [
            "id": stream.id, "way": stream.push?.address ?? text.polled,
            "status": text.status(stream.status), "isEnabled": stream.status == .enabled, "reason": stream.reason ?? "",
            "types": state.eventTypes.joined(separator: ", "), "behind": String(state.eventsBehind),
            "failures": String(stream.failures),
        ]
    }

    /// What has no name of its own on the page.
    private var otherFacts: [[String: String]] {
        var members = metadata.filter { !Self.named.contains($0.key) }
        if client.profile != .standard { members["profile"] = .string(client.profile.rawValue) }
        if !client.resources.isEmpty { members["resources"] = .array(client.resources.map(JSONValue.string)) }
        if let seconds = client.assertionSeconds { members["assertion_seconds"] = .integer(seconds) }
        if !client.mayImpersonate.isEmpty {
            members["may_impersonate"] = .array(client.mayImpersonate.map { .string($0.text) })
        }
        return members.sorted { $0.key < $1.key }.map { name, value in
            ["name": name, "value": Self.text(value)]
        }
    }

    private static func text(_ value: JSONValue) -> String {
        value.stringValue ?? value.stringArrayValue?.joined(separator: ", ")
            ?? String(decoding: value.serialized, as: UTF8.self)
    }

    private static let named: Set<String> = [
        "client_name", "redirect_uris", "post_logout_redirect_uris", "grant_types", "scope",
        "token_endpoint_auth_method",
    ]
}
