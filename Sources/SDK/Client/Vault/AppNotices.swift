internal import Foundation

/// What the system tells an app about itself.
enum AppNotice: Hashable, Sendable {
    /// Why an app is away. Each reason ends by itself: a Mac that wakes up has not brought a hidden app to the front.
    enum Absence: Hashable, Sendable {
        /// Another app is in front, or none.
        case background
        /// The device sleeps.
        case sleep
    }

    case away(Absence)
    case back(Absence)
    /// What is protected while the device is locked can be read from now on.
    case protectedDataAvailable
}

/// Where an app hears of such things.
protocol AppNotices: Sendable {
    /// Tells `handler` of every notice from now on, on any thread, until the registration is released.
    func listen(_ handler: @escaping @Sendable (AppNotice) -> Void) -> NoticeRegistration
}

/// Listens as long as it is held.
final class NoticeRegistration: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit {
        end()
    }
}

/// Where the system tells nothing.
struct NoNotices: AppNotices {
    func listen(_ handler: @escaping @Sendable (AppNotice) -> Void) -> NoticeRegistration { NoticeRegistration {} }
}

/// Notices of notification centres, by their names: no framework for windows is needed, and in an extension those that
/// only an app gets are never posted.
struct NamedNotices: AppNotices {
    /// One centre, and what its notifications mean.
    struct Source: Sendable {
        let center: NotificationCenter
        let meanings: [String: AppNotice]
    }

    let sources: [Source]

    func listen(_ handler: @escaping @Sendable (AppNotice) -> Void) -> NoticeRegistration {
        let observers = sources.flatMap { source in
            source.meanings.map { name, notice in
                Observer(source.center, name) { handler(notice) }
            }
        }
        return NoticeRegistration { for observer in observers { observer.end() } }
    }

    /// One observation. Unchecked, because a token has no type that says so: both members are never changed, and a
    /// centre may be used on any thread.
    private final class Observer: @unchecked Sendable {
        private let center: NotificationCenter
        private let token: any NSObjectProtocol

        init(_ center: NotificationCenter, _ name: String, _ handler: @escaping @Sendable () -> Void) {
            self.center = center
            let name = Notification.Name(name)
            token = center.addObserver(forName: name, object: nil, queue: nil) { _ in handler() }
        }

        func end() {
            center.removeObserver(token)
        }
    }
}
