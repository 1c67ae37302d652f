internal import KeyturnBase

/// Where a session lies, for programs of this package that tell it to their user.
package enum SessionPlace: Hashable, Sendable {
    /// In the desktop's keyring.
    case keyring
    /// In a sealed file in this folder; its key lies elsewhere.
    case file(folder: String)
}

extension SessionPlace {
    /// Where ``SessionStorage/automatic`` has what is stored under a name, or else the vault of that name.
    ///
    /// Reads the file alone and asks no keyring. Not for apps on Apple's systems, whose sessions are in the keychain.
    ///
    /// - Parameter container: As a container is named, or a record of a program's own.
    /// - Returns: `nil`: nothing is stored, or it cannot be read now.
    package static func find(_ container: String) async -> SessionPlace? {
        guard let locations = SealedFileStore.Locations.environment() else { return nil }
        return await find(container, locations)
    }

    static func find(_ container: String, _ locations: SealedFileStore.Locations) async -> SessionPlace? {
        let file = SealedFileStore(locations, ambient: .live)
        var slot = container
        if container == ContainerName.shared || ContainerName.isDerived(container) {
            let store = ContainerStore(file, name: container, client: nil)
            slot = (try? await store.slot()) ?? container
        }
        for place in [slot, slot + "/vault"] {
            guard case .found(let record) = await file.read(place) else { continue }
            return Self(record, folder: "\(locations.stateRoot)/keyturn/\(ContainerFolder.name(for: place))")
        }
        return nil
    }

    /// - Parameters:
    ///   - record: What the sealed file has.
    ///   - folder: Where that is.
    private init(_ record: StoredRecord, folder: String) {
        #if os(Linux)
            self = KeyringPointer(record) == nil ? .file(folder: folder) : .keyring
        #else
            self = .file(folder: folder)
        #endif
    }
}
