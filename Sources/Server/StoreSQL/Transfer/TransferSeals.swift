internal import Foundation
internal import KeyturnBase
internal import Model

/// Opens what is sealed in rows of the database here, and seals it at the other end.
struct TransferSeals: Sendable {
    private let seals: [ServerSecrets.Purpose: Seal]

    init(_ secrets: ServerSecrets, ambient: Ambient) {
        seals = Dictionary(
            ServerSecrets.Purpose.allCases.map { ($0, Seal(secrets, purpose: $0, ambient: ambient)) }
        ) { first, _ in first }
    }

    /// The row with its sealed columns opened; `nil` if the secrets here do not open one: then it is of no use here
    /// either.
    func opened(_ row: TransferRow, _ layout: TransferLayout) -> TransferRow? {
        translated(row, layout) { seal, bytes, context in seal.open(bytes, context: context) }
    }

    /// The row with its columns sealed with the secrets here.
    func sealed(_ row: TransferRow, _ layout: TransferLayout) -> TransferRow? {
        translated(row, layout) { seal, bytes, context in seal.seal(bytes, context: context) }
    }

    private func translated(
        _ row: TransferRow, _ layout: TransferLayout, _ translate: (Seal, [UInt8], [UInt8]) -> [UInt8]?
    ) -> TransferRow? {
        var result = row
        for (place, column) in layout.columns.enumerated() {
            guard case .sealed(let purpose, let context) = layout.table.columns[column.name],
                case .bytes(let bytes) = row.values[place], let seal = seals[purpose]
            else { continue }
            guard let other = translate(seal, Array(bytes), Self.context(context, row, layout)) else { return nil }
            result.values[place] = .bytes(Data(other))
        }
        return result
    }

    private static func context(
        _ context: TransferSealContext, _ row: TransferRow, _ layout: TransferLayout
    ) -> [UInt8] {
        switch context {
        case .id:
            guard case .bytes(let id) = row["id", layout] else { return [] }
            return Array(id)
        case .dataKey(let kind):
            let (id, realm) = (row["id", layout].text ?? "", row["realm", layout].text ?? "")
            return DataKeyWraps.sealContext(kind, DataKeyWraps.name(id, realm))
        }
    }
}

extension ServerSecrets {
    /// Purposes of digests that are stored and cannot be computed again.
    static let keyedPurposes: [Purpose] = [.recoveryCode, .siteUsername, .refreshToken]

    /// The identifiers of the keys of ``keyedPurposes``, in hexadecimal digits. They reveal nothing about the keys.
    var keyedIDs: [String: [String]] {
        Dictionary(
            Self.keyedPurposes.map { purpose in (purpose.rawValue, keys(for: purpose).map { Base16.encode($0.id) }) }
        ) { first, _ in first }
    }
}
