/* HAS_SANITIZER: 1 when this is built with the address or the thread sanitizer, which take several
 * times as long, keep released memory, and bring an allocator of their own. */
#ifndef TANDEM_TEST_SANITIZER_H
#define TANDEM_TEST_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER 0
#endif

#endif
