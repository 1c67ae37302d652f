internal import HTTPTypes
internal import KeyturnBase
internal import NIOCore

/// The files of the browser client, which pages of every site may load. Answers are made once, not for each request.
struct BrowserClientRoutes: Sendable {
    /// How long the addresses that stay may be cached, in seconds.
    private static let cacheSeconds = 3_600

    var routes: [Route] {
        let stays = "public, max-age=\(Self.cacheSeconds)"
        let list = ByteBuffer(bytes: BrowserClient.json.serialized)
        return BrowserClient.files.flatMap { file in
            let content = ByteBuffer(bytes: file.content)
            return [(file.path, stays), (file.pinnedPath, "public, max-age=31536000, immutable")].map { path, caching in
                route(path, content, type: file.contentType, tag: file.tag, caching: caching)
            }
        } + [
            route(
                BrowserClient.listPath, list, type: "application/json",
                tag: BrowserClient.files.map(\.tag).joined(separator: "-"), caching: stays)
        ]
    }

    private func route(_ path: String, _ content: ByteBuffer, type: String, tag: String, caching: String) -> Route {
        let entityTag = "\"\(tag)\""
        let headers: HTTPFields = [
            .cacheControl: caching, .eTag: entityTag, .accessControlAllowOrigin: "*",
            // Pages that isolate themselves load it as well.
            .crossOriginResourcePolicy: "cross-origin",
        ]
        var whole = Response(status: .ok, headers: headers, body: content)
        whole.headers[.contentType] = type
        let answers = (whole: whole, unchanged: Response(status: .notModified, headers: headers))
        return Route(.get, path, open: "public file", sharing: .anybody) { request, _ in
            Self.isKnown(entityTag, to: request) ? answers.unchanged : answers.whole
        }
    }

    /// Whether the client has it already (RFC 9110 §13.1.2).
    private static func isKnown(_ entityTag: String, to request: Request) -> Bool {
        guard let known = request.headers[.ifNoneMatch] else { return false }
        return known.split(separator: ",").contains { part in
            let tag = part.trimmingPrefix { $0 == " " || $0 == "\t" }.trimmingPrefix("W/")
            let end = tag.lastIndex { $0 != " " && $0 != "\t" } ?? tag.startIndex
            return tag == "*" || tag[...end] == entityTag
        }
    }
}
