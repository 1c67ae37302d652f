internal import Foundation
internal import NIOCore

extension Channel {
    /// Closes at once, and makes the system drop what the peer did not take.
    func reset() {
        guard let socket = self as? any SocketOptionProvider else { return close(promise: nil) }
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in self.close(promise: nil) }
    }
}
