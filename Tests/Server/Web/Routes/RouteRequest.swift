import Foundation
import HTTPTypes
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting

@testable import Web

/// A request of a row of the table, as far as it is put together.
struct RouteRequest {
    let row: Route
    /// Of the browser that asks.
    var mark: String
    var headers: [(String, String)] = []
    var cookies: [String: String] = [:]
    var query = FormParameters()
    /// What comes after `Bearer`; `nil`: there is no such header.
    var bearer: String?
    /// The second part of the bearer.
    var second: String?
    /// User name and password.
    var basic: String?
    /// What the form of a page is about.
    var subject: String?
    /// Of the session to which the form belongs.
    var session: SessionID?
    private var form = FormParameters()

    init(_ row: Route, mark: String) {
        self.row = row
        self.mark = mark
    }

    /// A client that wants to be registered.
    static let metadata = """
        {"redirect_uris": ["https://app.example/callback"], "client_name": "App"}
        """
    /// What any call of the methods' wire and of relying parties asks for.
    private static let body: JSONValue = [
        "loginId": "andy@example.com", "email": "other@example.com", "phone": "+15550001111", "tenant": "none",
        "newPassword": "another-correct-horse", "user": [:],
    ]

    /// A field of the form, or of the query; `nil`: it is not there.
    mutating func set(_ name: String, _ value: String?) {
        if isForm { form.append(name, value) } else { query.append(name, value) }
    }

    private var isForm: Bool { row.method == .post && !isJSON }

    private var isJSON: Bool {
        ["/v1/", "/v2/", ProvisioningRoutes.base, Routes.registration, "/keyservice", "/auth/realms/demo/keyservice"]
            .contains { path.hasPrefix($0) }
            || row.demands.contains { [.publishableKey, .secretKey].contains($0.kind) }
    }

    /// With names in the place of `{name}`.
    private var path: String {
        let isRealm = row.path.hasPrefix("/auth/realms")
        var names = isRealm ? ["demo", "key"] : [TestServer.subject.rawValue]
        return row.path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            part == Route.anyName.dropFirst() ? names.removeFirst() : String(part)
        }.joined(separator: "/")
    }

    func send(to server: TestServer) async throws -> EndpointAnswer {
        var headers = headers
        if let bearer {
            headers.append(("Authorization", "Bearer " + [bearer, second].compactMap(\.self).joined(separator: ":")))
        }
        if let basic { headers.append(("Authorization", "Basic " + Data(basic.utf8).base64EncodedString())) }
        let jar = cookies.merging(["keyturn-browser": mark]) { first, _ in first }
        if row.isPage || row.path.hasPrefix(Routes.login) {
            headers.append(("Cookie", jar.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")))
        }
        var body: String?
        if row.method != .get {
            headers.append(("Content-Type", isForm ? "application/x-www-form-urlencoded" : "application/json"))
            let json =
                row.path == Routes.registration ? Self.metadata : String(decoding: Self.body.serialized, as: UTF8.self)
            body = isForm ? form.encoded : json
        }
        let address = query.isEmpty ? path : "\(path)?\(query.encoded)"
        return try await server.send(row.method.rawValue, address, headers: headers, body: body)
    }
}

extension EndpointAnswer {
    /// Whether the answer is the refusal that a check declares.
    func isRefusal(_ refusal: Demand.Refusal) -> Bool {
        let errors = [
            json["error"], json["errorCode"], json["code"], json["status"], json["errors"]?.arrayValue?.first?["code"],
        ]
        switch refusal {
        case .error(let status, let code):
            return self.status == status
                && code.map { wanted in errors.contains { $0?.stringValue == wanted } } ?? body.isEmpty
        case .page(let status, let text):
            return self.status == status && body.contains("data-page=\"error\"") && body.contains(text)
        case .text(let status, let text): return self.status == status && body == text
        case .redirect(let location):
            let sent = headers["location"] ?? ""
            return self.status == 303 && (location.hasSuffix("=") ? sent.hasPrefix(location) : sent == location)
        case .admitted: return false
        }
    }
}
