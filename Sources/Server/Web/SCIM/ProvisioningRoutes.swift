internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Logging
internal import Model
internal import NIOCore
internal import SCIM

/// `/scim/v2`: a tenant's directory provisions the tenant's users and groups (RFC 7644).
struct ProvisioningRoutes: Sendable {
    /// The address of the interface.
    static let base = "/scim/v2"

    let checks: Checks

    private var services: IdentityServices { checks.services }
    private var documents: SCIMDocuments { SCIMDocuments(base: services.project.issuer + Self.base) }

    var routes: [Route] {
        documentRoutes + resourceRoutes("/Users") + resourceRoutes("/Groups") + [
            route(.post, "/.search"), route(.post, "/Bulk"),
            Route(.get, Self.base + "/Me", client) { _ in
                .provisioning(.refusal(501, "The token belongs to a tenant, not to a user."))
            },
        ]
    }

    private func resourceRoutes(_ collection: String) -> [Route] {
        let one = collection + Route.anyName
        return [
            route(.get, collection), route(.post, collection), route(.post, collection + "/.search"),
            route(.get, one), route(.put, one), route(.patch, one), route(.delete, one),
        ]
    }

    /// What the server says about itself holds nothing of a tenant.
    private var documentRoutes: [Route] {
        let documents = documents
        return [
            open("/ServiceProviderConfig") { _ in SCIMAnswer(200, documents.serviceProviderConfig) },
            open("/ResourceTypes") { _ in SCIMAnswer(200, SCIMDocuments.list(documents.resourceTypes)) },
            open("/ResourceTypes" + Route.anyName) { name in Self.find(name, in: documents.resourceTypes) },
            open("/Schemas") { _ in SCIMAnswer(200, SCIMDocuments.list(documents.schemas)) },
            open("/Schemas" + Route.anyName) { name in Self.find(name, in: documents.schemas) },
        ]
    }

    private func open(_ path: String, _ answer: @escaping @Sendable (String) -> SCIMAnswer) -> Route {
        let reason = "a description of the interface, the same for every tenant"
        return Route(.get, Self.base + path, open: reason) { request, _ in
            guard try request.queryParameters().values("filter").isEmpty else {
                return .provisioning(.refusal(403, "These documents are not filtered."))
            }
            return .provisioning(answer(Self.names(request).last ?? ""))
        }
    }

    private static func find(_ name: String, in documents: [JSONValue]) -> SCIMAnswer {
        let found = documents.first { $0["id"]?.stringValue?.lowercased() == name.lowercased() }
        return found.map { SCIMAnswer(200, $0) } ?? .refusal(404, "There is no such document.")
    }

    private var client: Check<ProvisioningClient> {
        Check(.provisioningToken) { request, context in try await checks.provisioningClient(request, context) }
    }

    private func route(_ method: HTTPRequest.Method, _ path: String) -> Route {
        Route(method, Self.base + path, client) { holder, request, context in
            do {
                return .provisioning(try await answer(request, holder))
            } catch let unreadable as Unreadable {
                return .provisioning(
                    .refusal(
                        unreadable.status.code, kind: unreadable.status == .badRequest ? "invalidSyntax" : nil,
                        unreadable.sentence + "."))
            } catch let error as StoreError where error.code == .forbidden {
                return .provisioning(.refusal(403, "The directory may not change this user."))
            } catch let error as StoreError {
                context.logger.error("store failed", metadata: ["route": "\(path)", "code": "\(error)"])
                return .provisioning(.refusal(503, "The server cannot reach its database: try again."))
            }
        }
    }

    private func answer(_ request: Request, _ holder: ProvisioningClient) async throws -> SCIMAnswer {
        let parameters = try request.queryParameters()
        var query: [String: String] = [:]
        for name in Self.parameters { query[name] = parameters.values(name).first }
        // An empty cursor asks for the first page (RFC 9865 §2); other empty parameters are left out.
        if query["cursor"] == nil, (request.target.query ?? "").split(separator: "&").contains("cursor=") {
            query["cursor"] = ""
        }
        let hasBody = [.post, .put, .patch].contains(request.method)
        return try await services.provisioning.answer(
            SCIMRequest(
                method: request.method.rawValue, path: Self.names(request), query: query,
                body: hasBody ? try await Self.body(of: request) : nil, ifMatch: request.headers[.ifMatch],
                ifNoneMatch: request.headers[.ifNoneMatch]),
            from: holder.client)
    }

    private static let parameters = [
        "filter", "startIndex", "count", "sortBy", "sortOrder", "attributes", "excludedAttributes", "cursor",
    ]

    /// The steps of the address below the interface's own.
    private static func names(_ request: Request) -> [String] {
        request.target.path.split(separator: "/").dropFirst(2).map {
            (try? FormParameters.percentDecode($0)) ?? String($0)
        }
    }

    /// A body of `application/scim+json` or `application/json`; a missing type counts as one of them.
    private static func body(of request: Request) async throws -> JSONValue {
        let type = (request.headers[.contentType] ?? "application/json").prefix { $0 != ";" }.lowercased()
        guard type.hasPrefix("application/scim+json") || type.hasPrefix("application/json") else {
            throw Unreadable(status: .unsupportedMediaType, detail: "the body must be application/scim+json")
        }
        let problem = Unreadable(status: .badRequest, detail: "the body is not JSON as it should be")
        do {
            let json = try await request.json(max: Limits.scimBodyBytesMax, membersMax: Limits.scimBodyValuesMax)
            guard let json else { throw problem }
            return json
        } catch is JSONProblem {
            throw problem
        }
    }
}

extension Response {
    /// An answer of the provisioning interface (RFC 7644 §3.1).
    static func provisioning(_ answer: SCIMAnswer) -> Response {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        headers[.location] = answer.location
        headers[.eTag] = answer.version
        let status = HTTPResponse.Status(code: answer.status)
        guard let body = answer.body else { return Response(status: status, headers: headers) }
        headers[.contentType] = "application/scim+json"
        return Response(
            status: status, headers: headers, body: ByteBuffer(bytes: body.serialized))
    }
}
