#if os(Linux)
    import Foundation
    import KeyturnAuthenticator
    import KeyturnBase

    @testable import Keyturn

    /// Security keys in memory, as libfido2 reaches them: through functions of its own for reading and writing reports.
    enum VirtualKeys {
        static let plugged = Locked<[String: SoftwareSecurityKey]>([:])
        private static let count = Locked(0)

        /// Plugs keys in, side by side.
        static func source(_ keys: SoftwareSecurityKey...) -> FidoSource {
            let places = keys.map { key in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                plugged.withLock { $0["virtual-\(number)"] = key }
                return SecurityKeyPlace(path: "virtual-\(number)", product: "Virtual key")
            }
            return FidoSource(library: .system, places: places, functions: functions)
        }

        private static let functions = unsafe FidoFunctions(
            open: { path in
                guard let path = unsafe path, let key = plugged.withLock({ $0[unsafe String(cString: path)] }) else {
                    return nil
                }
                return unsafe Unmanaged.passRetained(key).toOpaque()
            },
            close: { handle in
                guard let handle = unsafe handle else { return }
                unsafe Unmanaged<SoftwareSecurityKey>.fromOpaque(handle).release()
            },
            read: { handle, bytes, count, milliseconds in
                guard let handle = unsafe handle, let bytes = unsafe bytes,
                    let report = unsafe Unmanaged<SoftwareSecurityKey>.fromOpaque(handle).takeUnretainedValue()
                        .read(milliseconds: Int(milliseconds)), report.count <= count
                else { return -1 }
                unsafe bytes.update(from: report, count: report.count)
                return Int32(report.count)
            },
            write: { handle, bytes, count in
                guard let handle = unsafe handle, let bytes = unsafe bytes else { return -1 }
                unsafe Unmanaged<SoftwareSecurityKey>.fromOpaque(handle).takeUnretainedValue()
                    .write(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return Int32(count)
            })
    }

    /// A person who says what they were told to, and notes what they were asked.
    actor KeyOwner: SecurityKeyInteraction {
        private var pins: [String]
        private let choice: Int?
        private(set) var asked: [String] = []
        private let onTouch: (@Sendable () -> Void)?
        private let onInsert: (@Sendable () -> Void)?

        init(
            pins: [String] = [], choice: Int? = nil, onTouch: (@Sendable () -> Void)? = nil,
            onInsert: (@Sendable () -> Void)? = nil
        ) {
            self.pins = pins
            self.choice = choice
            self.onTouch = onTouch
            self.onInsert = onInsert
        }

        func insertKey() {
            asked.append("insert")
            onInsert?()
        }

        func touchKey(_ purpose: SecurityKeyTouch) {
            asked.append("touch \(purpose.rawValue)")
            onTouch?()
        }

        func pin(triesLeft: Int?, wasWrong: Bool) -> Secret? {
            asked.append("pin \(triesLeft ?? -1)\(wasWrong ? " wrong" : "")")
            return pins.isEmpty ? nil : Secret(pins.removeFirst())
        }

        func chooseAccount(among accounts: [SecurityKeyAccount]) -> Int? {
            asked.append("choose " + accounts.map { $0.name ?? "?" }.joined(separator: ","))
            return choice
        }
    }
#endif
