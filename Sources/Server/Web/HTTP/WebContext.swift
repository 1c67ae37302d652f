public import Hummingbird
internal import Logging
public import NIOCore

/// What a handler knows about a request besides the request itself.
public struct WebContext: RequestContext, RemoteAddressRequestContext {
    public var coreContext: CoreRequestContextStorage
    public let remoteAddress: SocketAddress?

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }

    /// The request's identifier in the log. A logger without metadata has none.
    var reference: String {
        logger[metadataKey: "hb.request.id"].map(String.init(describing:)) ?? "none"
    }
}
