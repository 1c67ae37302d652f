internal import HTTPTypes
internal import NIOCore

/// The style sheet, the few scripts and the files of the theme, at addresses that change with their content.
struct AssetRoutes: Sendable {
    /// Of the themes and the console.
    var more: [PageAsset] = []

    var routes: [Route] {
        (PageRenderer.assets + more).map(Self.route)
    }

    static func route(_ asset: PageAsset) -> Route {
        let body = ByteBuffer(bytes: asset.content)
        var headers: HTTPFields = [
            .contentType: asset.contentType, .cacheControl: "public, max-age=31536000, immutable",
        ]
        headers[.contentSecurityPolicy] = asset.policy
        return Route(.get, asset.path, open: "public file") { [headers] _, _ in
            Response(status: .ok, headers: headers, body: body)
        }
    }
}
