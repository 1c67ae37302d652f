public import KeyturnBase
internal import KeyturnWire
internal import Model

/// Streams as JSON.
extension SignalStreams {
    private static let (push, poll) = ("urn:ietf:rfc:8935", "urn:ietf:rfc:8936")

    /// The transmitter's metadata (§7.1), below `/.well-known/ssf-configuration`.
    ///
    /// - Parameter base: of the addresses, without a slash at the end.
    public static func metadata(issuer: String, base: String, keys: String) -> JSONValue {
        [
            "spec_version": "1_0", "issuer": .string(issuer), "jwks_uri": .string(keys),
            "delivery_methods_supported": [.string(push), .string(poll)],
            "configuration_endpoint": .string("\(base)/ssf/stream"), "status_endpoint": .string("\(base)/ssf/status"),
            "verification_endpoint": .string("\(base)/ssf/verify"), "default_subjects": "ALL",
            "authorization_schemes": [["spec_urn": "urn:ietf:rfc:6749"]],
        ]
    }

    func json(_ stream: SignalStream) -> JSONValue {
        var members: [String: JSONValue] = [
            "stream_id": .string(stream.id), "iss": .string(project.issuer), "aud": .string(stream.clientID),
            "delivery": [
                "method": .string(stream.push == nil ? Self.poll : Self.push),
                "endpoint_url": .string(stream.push?.address ?? pollAddress(stream.id)),
            ], "events_supported": Self.texts(ContinuousAccessEvent.types),
            "events_delivered": Self.texts(stream.delivered),
            "min_verification_interval": .integer(Limits.signalVerificationSeconds),
        ]
        if !stream.events.isEmpty { members["events_requested"] = Self.texts(stream.events) }
        members["description"] = stream.description.map(JSONValue.string)
        return .object(members)
    }

    static func status(_ stream: SignalStream) -> JSONValue {
        var members: [String: JSONValue] = [
            "stream_id": .string(stream.id), "status": .string(stream.status.rawValue),
        ]
        members["reason"] = stream.reason.map(JSONValue.string)
        return .object(members)
    }

    private func pollAddress(_ id: String) -> String {
        let base = project.issuer.hasSuffix("/") ? String(project.issuer.dropLast()) : project.issuer
        return "\(base)\(Self.pollPath)/\(id)"
    }

    private static func texts(_ list: [String]) -> JSONValue { .array(list.map(JSONValue.string)) }

    static func members(_ body: JSONValue) throws(SignalProblem) -> [String: JSONValue] {
        guard let members = body.objectValue else { throw .invalid("the body is a JSON object") }
        return members
    }

    static func id(_ members: [String: JSONValue]) throws(SignalProblem) -> String {
        guard let id = members["stream_id"]?.stringValue else { throw .invalid("stream_id is missing") }
        return id
    }

    static func text(_ value: JSONValue?, _ name: String, bytesMax: Int) throws(SignalProblem) -> String? {
        guard let value, value != .null else { return nil }
        guard let text = value.stringValue, text.utf8.count <= bytesMax else {
            throw .invalid("\(name) is a text of at most \(bytesMax) bytes")
        }
        return text
    }

    /// A stream with what the receiver may say of it.
    func edited(
        _ stream: SignalStream, _ members: [String: JSONValue], replaces: Bool, _ client: Client
    ) throws(SignalProblem) -> SignalStream {
        var stream = stream
        if replaces || members["events_requested"] != nil {
            stream.events = try members["events_requested"].map(Self.events) ?? []
        }
        if replaces || members["description"] != nil {
            stream.description = try Self.text(
                members["description"], "description", bytesMax: Limits.descriptionBytesMax)
        }
        if replaces || members["delivery"] != nil {
            stream.push = try push(members["delivery"], stream, client)
        }
        return stream
    }

    private static func events(_ list: JSONValue) throws(SignalProblem) -> [String] {
        guard let events = list.stringArrayValue, (1...Limits.signalEventsMax).contains(events.count),
            events.allSatisfy({ $0.utf8.count <= Limits.redirectBytesMax })
        else {
            throw .invalid(
                "events_requested is a list of 1 to \(Limits.signalEventsMax) types; without it all are sent")
        }
        return events
    }

    /// Where tokens are pushed; `nil`: the receiver polls, which is the default.
    private func push(
        _ delivery: JSONValue?, _ stream: SignalStream, _ client: Client
    ) throws(SignalProblem) -> SignalStream.Push? {
        guard let delivery, delivery != .null else { return nil }
        let address = delivery["endpoint_url"]?.stringValue
        switch delivery["method"]?.stringValue {
        case Self.poll:
            guard address == nil || address == pollAddress(stream.id) else {
                throw .invalid("endpoint_url of a stream that is polled is this server's")
            }
            return nil
        case Self.push: break
        default: throw .invalid("method is \(Self.push) or \(Self.poll)")
        }
        guard let address, isAllowed(address, client) else {
            throw .invalid("endpoint_url is an address of https in a public network, without a fragment")
        }
        var push = SignalStream.Push(address: address, authorization: nil)
        if let header = try Self.text(
            delivery["authorization_header"], "authorization_header", bytesMax: Limits.signalHeaderBytesMax)
        {
            guard header.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
                throw .invalid("authorization_header has other characters than a header may have")
            }
            push.authorization = seal.seal(Array(header.utf8), context: Array(stream.id.utf8))
        } else if delivery["authorization_header"] == nil, stream.push?.address == address {
            // The receiver was not shown it, and cannot give it back. It never goes to an address that it was not given for.
            push.authorization = stream.push?.authorization
        }
        return push
    }

    /// Names are looked up when something is sent; what is plainly private is refused now.
    private func isAllowed(_ address: String, _ client: Client) -> Bool {
        guard let parts = URIParts(address, bytesMax: Limits.redirectBytesMax), let host = parts.host,
            parts.fragment == nil
        else { return false }
        let isAtHome = URIParts(project.issuer)?.host.map(Self.isPrivate) ?? false
        guard parts.scheme == "https" || isAtHome && parts.scheme == "http" else { return false }
        return isAtHome || client.allowsPrivateLogoutAddress || !Self.isPrivate(host)
    }

    private static func isPrivate(_ host: URIHost) -> Bool {
        host.isLoopbackInBrowsers || host.address?.isPublic == false
    }

    /// What this server says of a stream may be in a request, but as it is (§8.1.1.3).
    func checkOwn(
        _ members: [String: JSONValue], _ present: SignalStream, _ wanted: SignalStream
    ) throws(SignalProblem) {
        let (old, new) = (json(present), json(wanted))
        for name in ["iss", "aud", "events_supported", "events_delivered", "min_verification_interval"] {
            guard let value = members[name] else { continue }
            guard value == old[name] || value == new[name] else { throw .invalid("\(name) is this server's to say") }
        }
    }
}
