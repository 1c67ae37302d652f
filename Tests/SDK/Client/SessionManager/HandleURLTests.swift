import KeyturnBase
import Testing

@testable import Keyturn

@Suite("An address that the app was opened with")
struct HandleURLTests {
    @Test func `a callback finishes the sign-in that waits for it, once`() async throws {
        let world = try World()
        let auth = world.container()
        let url = try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
        let callback = try await world.service.follow(url)
        #expect(try await auth.handle(url: callback))
        #expect(await auth.state == .signedIn(.fresh))
        #expect(try await !auth.handle(url: callback))
        #expect(try await auth.fetchAPI() == 200)
    }

    @Test func `foreign addresses are left to the app, and cost the sign-in nothing`() async throws {
        let world = try World()
        let auth = world.container()
        let url = try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
        let callback = try await world.service.follow(url)
        let query = callback.dropFirst(World.redirectURI.count)
        for foreign in [
            "", "not an address", "myapp://callback", "myapp://callback?code=x", "myapp://callback?code=x&state=y",
            "myapp://other" + query, "https://evil.example.com/callback" + query, callback + "#x=1",
            "myapp://article/5?t=token", callback + "&state=x",
        ] {
            #expect(try await !auth.handle(url: foreign), "\(foreign)")
        }
        #expect(await world.service.count("/token") == 0)
        #expect(try await !world.container("other").handle(url: callback))
        #expect(try await auth.handle(url: callback))
    }

    @Test func `a refusal is an error, and the callback was ours`() async throws {
        let world = try World()
        let auth = world.container()
        let url = try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
        let state = try #require(try AuthorizeTests.query(url).one("state"))
        await #expect(throws: AuthError(.cancelled, "")) {
            try await auth.handle(
                url: "\(World.redirectURI)?error=access_denied&state=\(state)&iss=https%3A%2F%2Fid.example.com")
        }
    }

    @Test func `a magic link signs in where the app says that its links lead`() async throws {
        let world = MethodWorld()
        let auth = world.container()
        let place = "https://app.example.com/link"
        for foreign in [
            "https://app.example.com/link/x?t=tok", "https://evil.example.com/link?t=tok", place, place + "?t=",
            place + "?t=a&t=b", place + "?x=tok",
        ] {
            #expect(try await !auth.handle(url: foreign, magicLinkURL: place), "\(foreign)")
        }
        #expect(try await !auth.handle(url: place + "?t=tok"))
        #expect(try await !auth.start().isSignedIn)
        #expect(try await auth.handle(url: place + "?t=tok", magicLinkURL: place))
        #expect(try await auth.start().isSignedIn)
    }
}
