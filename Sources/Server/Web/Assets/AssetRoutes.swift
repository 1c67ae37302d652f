internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The style sheet and the few scripts, at addresses that change with their content.
struct AssetRoutes: Sendable {
    var routes: [Route] {
        PageRenderer.assets.map { asset in
            let body = ByteBuffer(string: asset.content)
            return Route(.get, asset.path, open: "public file") { _, _ in
                Response(
                    status: .ok,
                    headers: [.contentType: asset.contentType, .cacheControl: "public, max-age=31536000, immutable"],
                    body: ResponseBody(byteBuffer: body))
            }
        }
    }
}
