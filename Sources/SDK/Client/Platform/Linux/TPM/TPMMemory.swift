#if os(Linux)
    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// Room for the structures that one call takes; emptied and given back afterwards, because secrets may be in it.
    @safe final class TPMMemory {
        /// More than the largest structure that is passed (`TPM2B_PRIVATE`, 1,552 bytes).
        static let structureBytes = 4_096

        private let library: TPMLibrary
        private var structures: [UnsafeMutableRawPointer] = unsafe []

        init(_ library: TPMLibrary) {
            self.library = library
        }

        deinit {
            while let structure = unsafe structures.popLast() {
                unsafe explicit_bzero(structure, Self.structureBytes)
                unsafe structure.deallocate()
            }
        }

        /// A structure that is empty: every member is zero.
        func empty() -> UnsafeRawPointer {
            let structure = UnsafeMutableRawPointer.allocate(byteCount: Self.structureBytes, alignment: 16)
            unsafe structure.initializeMemory(as: UInt8.self, repeating: 0, count: Self.structureBytes)
            unsafe structures.append(structure)
            return UnsafeRawPointer(structure)
        }

        /// A structure made of the bytes that the specification defines for it.
        ///
        /// - Throws: ``TPMProblem/malformed`` unless all the bytes, and nothing else, are one.
        func structure(
            _ bytes: [UInt8], _ convert: TPMLibrary.FromBytes
        ) throws(TPMProblem) -> UnsafeRawPointer {
            let structure = unsafe UnsafeMutableRawPointer(mutating: empty())
            var offset = 0
            let code = unsafe convert(bytes, bytes.count, &offset, structure)
            guard code == 0, offset == bytes.count else { throw .malformed }
            return UnsafeRawPointer(structure)
        }

        /// The bytes of a structure that the library made, which is given back to it.
        func bytes(
            _ structure: UnsafeMutableRawPointer?, _ convert: TPMLibrary.ToBytes
        ) throws(TPMProblem) -> [UInt8] {
            guard let structure = unsafe structure else { throw .malformed }
            var bytes = [UInt8](repeating: 0, count: Self.structureBytes)
            var count = 0
            defer {
                // In memory a structure is at least as long as its bytes.
                unsafe explicit_bzero(structure, count)
                unsafe explicit_bzero(&bytes, bytes.count)
                unsafe library.release(structure)
            }
            guard unsafe convert(structure, &bytes, bytes.count, &count) == 0, count <= bytes.count else {
                count = 0
                throw .malformed
            }
            return Array(bytes[..<count])
        }
    }
#endif
