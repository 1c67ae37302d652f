internal import Foundation

/// A listening socket that the service manager opened and keeps open (sd_listen_fds(3)).
struct PassedSocket: Hashable, Sendable {
    let descriptor: Int32
    let address: ListenAddress

    /// The first descriptor that is passed.
    static let firstDescriptor: Int32 = 3
    /// Most sockets: each address of a machine with many of them.
    static let socketsMax = 32

    /// The sockets that are passed to this process; none if the variables are for another one.
    ///
    /// - Parameter first: the descriptor of the first one.
    /// - Throws: ``CommandFailure`` that says which of them cannot be listened on.
    static func all(
        _ environment: [String: String], processID: Int32, first: Int32 = firstDescriptor
    ) throws(CommandFailure) -> [PassedSocket] {
        guard let owner = environment["LISTEN_PID"], let text = environment["LISTEN_FDS"] else { return [] }
        guard let owner = Int32(owner), owner > 0 else {
            throw .refused("LISTEN_PID is not the number of a process: unset it, or start the server by systemd.")
        }
        guard owner == processID else { return [] }
        guard let count = Int(text), (1...socketsMax).contains(count) else {
            throw .refused("LISTEN_FDS must say how many sockets are passed, from 1 to \(socketsMax).")
        }
        var names = [String](repeating: "", count: count)
        if let listed = environment["LISTEN_FDNAMES"] {
            names = listed.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard names.count == count else {
                throw .refused("LISTEN_FDNAMES has \(names.count) names for \(count) sockets of LISTEN_FDS.")
            }
        }
        var sockets: [PassedSocket] = []
        for (number, name) in names.enumerated() {
            sockets.append(try PassedSocket(first + Int32(number), name: name))
        }
        return sockets
    }

    private init(_ descriptor: Int32, name: String) throws(CommandFailure) {
        let label = name.isEmpty ? "descriptor \(descriptor)" : "descriptor \(descriptor) (\(name))"
        func refusal(_ reason: String) -> CommandFailure {
            .refused(
                "LISTEN_FDS: \(label) \(reason). Pass TCP sockets that listen, such as ListenStream=127.0.0.1:8080.")
        }
        guard let kind = Self.option(SO_TYPE, of: descriptor) else { throw refusal("is not a socket") }
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        guard kind == stream, Self.option(SO_ACCEPTCONN, of: descriptor) == 1 else {
            throw refusal("is not a stream socket that listens")
        }
        guard let address = Self.address(of: descriptor) else { throw refusal("is neither of IPv4 nor of IPv6") }
        // Programs that this one starts do not get it.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        self.descriptor = descriptor
        self.address = address
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    private static func address(of descriptor: Int32) -> ListenAddress? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &storage) { pointer -> ListenAddress? in
            let isKnown = unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size) == 0
            }
            guard isKnown else { return nil }
            switch Int32(unsafe pointer.pointee.ss_family) {
            case AF_INET:
                return unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    var host = unsafe $0.pointee.sin_addr
                    return unsafe text(AF_INET, &host, port: $0.pointee.sin_port)
                }
            case AF_INET6:
                return unsafe pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    var host = unsafe $0.pointee.sin6_addr
                    return unsafe text(AF_INET6, &host, port: $0.pointee.sin6_port)
                }
            default: return nil
            }
        }
    }

    private static func text(_ family: Int32, _ host: UnsafeRawPointer, port: in_port_t) -> ListenAddress? {
        var characters = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard unsafe inet_ntop(family, host, &characters, socklen_t(characters.count)) != nil else { return nil }
        let bytes = characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return ListenAddress(host: String(decoding: bytes, as: UTF8.self), port: Int(in_port_t(bigEndian: port)))
    }
}
