#if os(Linux)
    #if canImport(Musl)
        internal import Musl
    #else
        internal import Glibc
    #endif

    /// A library that is found at run time, so that programs that never use it do not need it. It stays loaded for as
    /// long as the program runs.
    @safe struct DynamicLibrary {
        /// There is no function of this name: the library is too old.
        struct Missing: Error {}

        private let library: UnsafeMutableRawPointer

        /// - Parameter names: The first that is found is taken.
        init?(_ names: [String]) {
            for name in names {
                guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
                unsafe self.library = library
                return
            }
            return nil
        }

        /// The function called `name`, as the caller declares it.
        func callAsFunction<Function>(_ name: String) throws(Missing) -> Function {
            guard let symbol = unsafe dlsym(library, name) else { throw Missing() }
            return unsafe unsafeBitCast(symbol, to: Function.self)
        }
    }
#endif
