#if canImport(Combine)
    public import Combine
    public import KeyturnBase

    extension Keyturn {
        /// Any operation as a publisher of one value; it runs once for each subscriber.
        ///
        /// - Parameter operation: What to do with this container.
        public func publisher<Success: Sendable>(
            _ operation: @escaping @Sendable (Keyturn) async throws -> Success
        ) -> AnyPublisher<Success, AuthError> {
            let value = Deferred {
                Future<Success, AuthError> { promise in
                    // A promise may be kept from anywhere, once; Combine does not say so in its type.
                    nonisolated(unsafe) let promise = promise
                    self.perform(operation) { unsafe promise($0) }
                }
            }
            return value.eraseToAnyPublisher()
        }
    }
#endif
