public import Hummingbird
internal import Logging
public import NIOCore

/// What a handler knows about a request beside the request itself.
public struct WebContext: RequestContext, RemoteAddressRequestContext {
    public var coreContext: CoreRequestContextStorage
    public let remoteAddress: SocketAddress?

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }

    /// Under which the request is logged. A logger that keeps no metadata has none.
    var reference: String {
        logger[metadataKey: "hb.request.id"].map(String.init(describing:)) ?? "none"
    }
}
